import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)
def get_inputs():
    return [torch.randn(4096, 4096).to(torch.bfloat16), torch.randn(4096, 4096).to(torch.bfloat16)]
def get_init_inputs():
    return []
