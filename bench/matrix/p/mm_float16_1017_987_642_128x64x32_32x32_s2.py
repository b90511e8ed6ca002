import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)
def get_inputs():
    return [torch.randn(1017, 642).to(torch.float16), torch.randn(642, 987).to(torch.float16)]
def get_init_inputs():
    return []
