"""Networks in the style of KernelBench level 3, small, against PyTorch in f64."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from compare import check
from einops import rearrange, repeat
from test_options import integers, normal
from torch import nn

NETWORKS: dict = {}


def network(*inputs, **settings):
    def add(cls):
        NETWORKS[cls.__name__] = (cls, inputs, settings)
        return cls
    return add


@network(normal(2, 3, 16, 16))
class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.layers = nn.ModuleList(nn.Sequential(nn.BatchNorm2d(4 + 2 * i), nn.ReLU(inplace=True), nn.Conv2d(4 + 2 * i, 2, 3, padding=1, bias=False), nn.Dropout(0.0)) for i in range(3))
        self.transition = nn.Sequential(nn.BatchNorm2d(10), nn.ReLU(inplace=True), nn.Conv2d(10, 5, 1, bias=False), nn.AvgPool2d(2, 2))
        self.head = nn.Linear(5, 3)
    def forward(self, x):
        features = [self.stem(x)]
        for layer in self.layers:
            features.append(layer(torch.cat(features, 1)))
        x = self.transition(torch.cat(features, 1))
        return self.head(F.adaptive_avg_pool2d(x, (1, 1)).view(x.size(0), -1))


@network(normal(2, 4, 8, 8))
class MBConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(4, 8, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(inplace=True))
        self.depthwise = nn.Sequential(nn.Conv2d(8, 8, 5, padding=2, groups=8, bias=False), nn.BatchNorm2d(8), nn.Hardswish(inplace=True))
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 2, 1), nn.SiLU(inplace=True), nn.Conv2d(2, 8, 1), nn.Sigmoid())
        self.project = nn.Sequential(nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4))
    def forward(self, x):
        y = self.depthwise(self.expand(x))
        return self.project(y * self.squeeze(y)) + x


@network(normal(2, 8, 6, 6))
class ShuffleNetUnit(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(8, 4, 1, groups=2, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.bn2 = nn.Conv2d(4, 4, 3, padding=1, groups=4, bias=False), nn.BatchNorm2d(4)
        self.conv3, self.bn3 = nn.Conv2d(4, 8, 1, groups=2, bias=False), nn.BatchNorm2d(8)
        self.shortcut = nn.Sequential()
    def shuffle(self, x, groups):
        b, c, h, w = x.size()
        x = x.view(b, groups, c // groups, h, w)
        return x.transpose(1, 2).contiguous().view(b, -1, h, w)
    def forward(self, x):
        out = self.shuffle(F.relu(self.bn1(self.conv1(x))), 2)
        out = F.relu(self.bn3(self.conv3(self.bn2(self.conv2(out)))))
        out += self.shortcut(x)
        return out


@network(normal(1, 3, 14, 14))
class SqueezeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 6, 3, stride=2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, ceil_mode=True))
        self.squeeze, self.one, self.three = nn.Conv2d(6, 2, 1), nn.Conv2d(2, 3, 1), nn.Conv2d(2, 3, 3, padding=1)
        self.classifier = nn.Sequential(nn.Dropout(p=0.0), nn.Conv2d(6, 4, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))
    def forward(self, x):
        x = F.relu(self.squeeze(self.stem(x)), inplace=True)
        x = torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)
        return torch.flatten(self.classifier(x), 1)


@network(normal(1, 4, 9, 9))
class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.b1 = nn.Conv2d(4, 2, 1)
        self.b2 = nn.Sequential(nn.Conv2d(4, 2, 1), nn.Conv2d(2, 3, 3, padding=1))
        self.b3 = nn.Sequential(nn.Conv2d(4, 2, 1), nn.Conv2d(2, 3, (1, 5), padding=(0, 2)), nn.Conv2d(3, 3, (5, 1), padding=(2, 0)))
        self.b4 = nn.Sequential(nn.MaxPool2d(3, stride=1, padding=1), nn.Conv2d(4, 2, 1))
        self.lrn = nn.LocalResponseNorm(5, alpha=1e-2, beta=0.75, k=2.0)
    def forward(self, x):
        return self.lrn(torch.cat([self.b1(x), self.b2(x), self.b3(x), self.b4(x)], 1))


@network(normal(1, 2, 12, 12))
class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        double = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.Softmax(dim=-1), nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.Softmax(dim=-1))
        self.d1, self.d2, self.u1 = double(2, 3), double(3, 4), double(6, 3)
        self.pool, self.up, self.out = nn.MaxPool2d(2, 2), nn.ConvTranspose2d(4, 3, 2, stride=2), nn.Conv2d(3, 1, 1)
    def forward(self, x):
        a = self.d1(x)
        b = self.up(self.d2(self.pool(a)))
        return self.out(self.u1(torch.cat([b, a], dim=1)))


@network(normal(2, 6, 5))
class NetVLAD(nn.Module):
    def __init__(self, clusters=4, ghosts=1, features=5):
        super().__init__()
        self.features, self.clusters, self.total = features, clusters, clusters + ghosts
        self.weight = nn.Parameter(torch.randn(features, self.total))
        self.bn = nn.BatchNorm1d(self.total)
        self.weight2 = nn.Parameter(torch.randn(1, features, clusters))
    def forward(self, x, mask=None):
        length = x.size()[1]
        x = x.reshape(-1, self.features)
        a = F.softmax(self.bn(torch.matmul(x, self.weight)), dim=1)[:, : self.clusters]
        a = a.view(-1, length, self.clusters)
        s = torch.sum(a, dim=1, keepdim=True) * self.weight2
        v = torch.matmul(a.transpose(1, 2), x.view(-1, length, self.features)).transpose(1, 2) - s
        v = F.normalize(v)
        return F.normalize(v.reshape(-1, self.clusters * self.features))


@network(normal(2, 3, 8, 8))
class VisionTransformer(nn.Module):
    def __init__(self, patch=4, dim=8):
        super().__init__()
        self.patch = patch
        self.pos = nn.Parameter(torch.randn(1, 5, dim))
        self.embed, self.cls = nn.Linear(3 * patch**2, dim), nn.Parameter(torch.randn(1, 1, dim))
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 2, 16, 0.1, batch_first=False), 2)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 6), nn.GELU(), nn.Dropout(0.1), nn.Linear(6, 3))
    def forward(self, img):
        p = self.patch
        x = img.unfold(2, p, p).unfold(3, p, p).reshape(img.shape[0], -1, p * p * img.shape[1])
        x = torch.cat((self.cls.expand(img.shape[0], -1, -1), self.embed(x)), dim=1) + self.pos
        return self.head(self.encoder(x)[:, 0])


@network(normal(2, 3, 8, 8))
class ConvolutionalVisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 4, stride=4)
        self.project = nn.Linear(6 * 4, 6)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(6, 2, 12, 0.0, batch_first=True) for _ in range(2))
        self.cls, self.out = nn.Parameter(torch.zeros(1, 1, 6)), nn.Linear(6, 3)
    def forward(self, x):
        b = x.size(0)
        x = self.project(self.conv(x).flatten(start_dim=1))
        x = torch.cat((self.cls.expand(b, -1, -1), x.unsqueeze(1)), dim=1)
        for layer in self.layers:
            x = layer(x)
        return self.out(x[:, 0])


class SwinV2Attention(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.window, self.heads = window, heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((heads, 1, 1))))
        self.cpb = nn.Sequential(nn.Linear(2, 8), nn.ReLU(inplace=True), nn.Linear(8, heads, bias=False))
        h = torch.arange(-(window[0] - 1), window[0], dtype=torch.float32)
        w = torch.arange(-(window[1] - 1), window[1], dtype=torch.float32)
        table = torch.stack(torch.meshgrid([h, w], indexing="ij")).permute(1, 2, 0).contiguous().unsqueeze(0)
        table[:, :, :, 0] /= window[0] - 1
        table[:, :, :, 1] /= window[1] - 1
        table *= 8
        table = torch.sign(table) * torch.log2(torch.abs(table) + 1.0) / math.log2(8)
        self.register_buffer("table", table, persistent=False)
        coords = torch.flatten(torch.stack(torch.meshgrid([torch.arange(window[0]), torch.arange(window[1])], indexing="ij")), 1)
        rel = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous()
        rel[:, :, 0] += window[0] - 1
        rel[:, :, 1] += window[1] - 1
        rel[:, :, 0] *= 2 * window[1] - 1
        self.register_buffer("index", rel.sum(-1), persistent=False)
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.q_bias, self.v_bias = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
        self.proj = nn.Linear(dim, dim)
    def forward(self, x, mask=None):
        b, n, c = x.shape
        bias = torch.cat((self.q_bias, torch.zeros_like(self.v_bias, requires_grad=False), self.v_bias))
        qkv = F.linear(input=x, weight=self.qkv.weight, bias=bias).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        attn = attn * torch.clamp(self.logit_scale, max=torch.log(torch.tensor(1.0 / 0.01))).exp()
        table = self.cpb(self.table).view(-1, self.heads)
        rel = table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).contiguous()
        attn = attn + 16 * torch.sigmoid(rel).unsqueeze(0)
        if mask is not None:
            w = mask.shape[0]
            attn = attn.view(b // w, w, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, n, n)
        x = (attn.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c)
        return self.proj(x)


@network(normal(1, 16, 4))
class SwinV2Block(nn.Module):
    def __init__(self, dim=4, resolution=(4, 4), window=2, shift=1):
        super().__init__()
        self.resolution, self.window, self.shift = resolution, window, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SwinV2Attention(dim, (window, window), 2)
        self.mlp = nn.Sequential(nn.Linear(dim, 8), nn.GELU(), nn.Linear(8, dim))
        H, W = resolution
        mask = torch.zeros((1, H, W, 1))
        count = 0
        for h in (slice(0, -window), slice(-window, -shift), slice(-shift, None)):
            for w in (slice(0, -window), slice(-window, -shift), slice(-shift, None)):
                mask[:, h, w, :] = count
                count += 1
        parts = self.partition(mask).view(-1, window * window)
        attn_mask = parts.unsqueeze(1) - parts.unsqueeze(2)
        self.register_buffer("attn_mask", attn_mask.masked_fill(attn_mask != 0, float(-100.0)).masked_fill(attn_mask == 0, 0.0))
        self.reduction, self.norm = nn.Linear(4 * dim, 2 * dim, bias=False), nn.LayerNorm(2 * dim)
    def partition(self, x):
        b, h, w, c = x.shape
        s = self.window
        return x.view(b, h // s, s, w // s, s, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, s, s, c)
    def forward(self, x):
        H, W = self.resolution
        b, length, c = x.shape
        assert length == H * W, "wrong size"
        shortcut = x
        x = torch.roll(x.view(b, H, W, c), shifts=(-self.shift, -self.shift), dims=(1, 2))
        windows = self.partition(x).view(-1, self.window**2, c)
        windows = self.attn(windows, mask=self.attn_mask).view(-1, self.window, self.window, c)
        n = int(windows.shape[0] / (H * W / self.window / self.window))
        x = windows.view(n, H // self.window, W // self.window, self.window, self.window, -1).permute(0, 1, 3, 2, 4, 5).contiguous().view(n, H, W, -1)
        x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2)).view(b, H * W, c)
        x = shortcut + self.norm1(x)
        x = x + self.norm2(self.mlp(x))
        x = x.view(b, H, W, c)
        x = torch.cat([x[:, 0::2, 0::2, :], x[:, 1::2, 0::2, :], x[:, 0::2, 1::2, :], x[:, 1::2, 1::2, :]], -1).view(b, -1, 4 * c)
        return self.norm(self.reduction(x))


@network(normal(2, 8, 2, 3))
class Mamba2(nn.Module):
    def __init__(self, batch=2, length=8, heads=2, d_head=3, d_state=2, block=4):
        super().__init__()
        self.block = block
        self.A = nn.Parameter(torch.randn(batch, length, heads))
        self.B = nn.Parameter(torch.randn(batch, length, heads, d_state))
        self.C = nn.Parameter(torch.randn(batch, length, heads, d_state))
    def segsum(self, x):
        T = x.size(-1)
        c = torch.cumsum(x, dim=-1)
        s = c[..., :, None] - c[..., None, :]
        mask = torch.tril(torch.ones(T, T, device=x.device, dtype=bool), diagonal=0)
        return s.masked_fill(~mask, -torch.inf)
    def forward(self, X, initial_states=None):
        Xb, Ab, Bb, Cb = [rearrange(x, "b (c l) ... -> b c l ...", l=self.block) for x in (X, self.A, self.B, self.C)]
        Ab = rearrange(Ab, "b c l h -> b h c l")
        cum = torch.cumsum(Ab, dim=-1)
        L = torch.exp(self.segsum(Ab))
        y_diag = torch.einsum("bclhn,bcshn,bhcls,bcshp->bclhp", Cb, Bb, L, Xb)
        decay = torch.exp((cum[:, :, :, -1:] - cum))
        states = torch.einsum("bclhn,bhcl,bclhp->bchpn", Bb, decay, Xb)
        if initial_states is None:
            initial_states = torch.zeros_like(states[:, :1])
        states = torch.cat([initial_states, states], dim=1)
        chunk = torch.exp(self.segsum(F.pad(cum[:, :, :, -1], (1, 0))))
        new = torch.einsum("bhzc,bchpn->bzhpn", chunk, states)
        states = new[:, :-1]
        y_off = torch.einsum("bclhn,bchpn,bhcl->bclhp", Cb, states, torch.exp(cum))
        return rearrange(y_diag + y_off, "b c l h p -> b (c l) h p")


@network(normal(2, 5, 6))
class MinGPTBlock(nn.Module):
    def __init__(self, n=6, heads=2, length=8):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n), nn.LayerNorm(n)
        self.c_attn, self.c_proj = nn.Linear(n, 3 * n), nn.Linear(n, n)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(n, 4 * n), c_proj=nn.Linear(4 * n, n), dropout=nn.Dropout(0.0)))
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))
        self.heads, self.n = heads, n
    def attention(self, x, relu):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n, dim=2)
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in (q, k, v))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.relu(att) if relu else F.softmax(att, dim=-1)
        return self.c_proj((att @ v).transpose(1, 2).contiguous().view(B, T, C))
    def gelu(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
    def forward(self, x):
        x = x + self.attention(self.ln1(x), False) + self.attention(self.ln1(x), True)
        m = self.mlp
        return x + m.dropout(m.c_proj(self.gelu(m.c_fc(self.ln2(x)))))


@network(normal(2, 4, 3), normal(2, 2, 5), normal(2, 2, 5))
class LSTMWithStates(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.fc = nn.LSTM(3, 5, 2, batch_first=True, dropout=0.1), nn.Linear(5, 3)
    def forward(self, x, h0, c0):
        out, state = self.lstm(x, (h0, c0))
        return self.fc(out[:, -1, :]), state[0], state[1]


@network(normal(3, 2, 4), normal(2, 5))
class VanillaRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.i2h, self.h2o = nn.Linear(9, 5), nn.Linear(5, 3)
    def forward(self, x, h):
        outputs = []
        for t in range(x.size(0)):
            h = torch.tanh(self.i2h(torch.cat((x[t], h), dim=1)))
            outputs.append(self.h2o(h))
        return torch.stack(outputs, dim=0)


@network(integers(11, 2, 5), normal(2, 3, 4))
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.pos = nn.Embedding(11, 4), nn.Embedding(16, 4)
        layer = nn.TransformerDecoderLayer(4, 2, 8, 0.0, activation="gelu", batch_first=True, norm_first=True)
        self.dec = nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(4))
        self.head = nn.Linear(4, 11, bias=False)
        self.head.weight = self.emb.weight
    def forward(self, t, memory):
        n = t.size(1)
        x = self.emb(t) * math.sqrt(4) + self.pos(torch.arange(n, device=t.device))[None]
        mask = nn.Transformer.generate_square_subsequent_mask(n).to(memory.dtype)
        return self.head(self.dec(x, memory, tgt_mask=mask))


@network(normal(2, 5, 8))
class LlamaBlock(nn.Module):
    """Rotary positions, grouped queries, gated units, a cache written in place."""
    def __init__(self, dim=8, heads=4, groups=2, length=8):
        super().__init__()
        self.heads, self.groups, self.hd = heads, groups, dim // heads
        self.wq, self.wk = nn.Linear(dim, dim, bias=False), nn.Linear(dim, groups * self.hd, bias=False)
        self.wv, self.wo = nn.Linear(dim, groups * self.hd, bias=False), nn.Linear(dim, dim, bias=False)
        self.w1, self.w2, self.w3 = nn.Linear(dim, 12, bias=False), nn.Linear(12, dim, bias=False), nn.Linear(dim, 12, bias=False)
        self.n1, self.n2 = nn.RMSNorm(dim, eps=1e-5), nn.RMSNorm(dim, eps=1e-5)
        t = torch.outer(torch.arange(length).double(), 1.0 / (10000 ** (torch.arange(0, self.hd, 2).double() / self.hd)))
        self.register_buffer("cos", t.cos(), persistent=False)
        self.register_buffer("sin", t.sin(), persistent=False)
    def rotate(self, x):
        n = x.shape[1]
        a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
        c, s = self.cos[:n, None], self.sin[:n, None]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)
    def forward(self, x):
        B, T, _ = x.shape
        h = self.n1(x)
        q = self.rotate(self.wq(h).view(B, T, self.heads, self.hd))
        k = self.rotate(self.wk(h).view(B, T, self.groups, self.hd))
        cache = torch.zeros(B, 8, self.groups, self.hd, dtype=x.dtype)
        cache[:, :T] = k
        k = cache[:, :T].repeat_interleave(self.heads // self.groups, dim=2)
        v = self.wv(h).view(B, T, self.groups, self.hd)
        v = v[:, :, :, None, :].expand(B, T, self.groups, self.heads // self.groups, self.hd).reshape(B, T, self.heads, self.hd)
        y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        x = x + self.wo(y.transpose(1, 2).reshape(B, T, -1))
        h = self.n2(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


@network(normal(6, 4))
class MixtureOfExperts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 5)
        self.up, self.down = nn.Parameter(torch.randn(5, 4, 8)), nn.Parameter(torch.randn(5, 8, 4))
    def forward(self, x):
        weights, chosen = torch.topk(self.gate(x).softmax(-1), 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        h = torch.einsum("td,tkdf->tkf", x, self.up[chosen]).relu()
        return (torch.einsum("tkf,tkfd->tkd", h, self.down[chosen]) * weights.unsqueeze(-1)).sum(1), chosen


@network(normal(5, 3), torch.tensor([[0, 1, 2, 4, 3, 0], [1, 2, 3, 0, 4, 0]]))
class GraphConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 4)
    def forward(self, x, edges):
        source, target = edges
        degree = torch.zeros(x.size(0), dtype=x.dtype).scatter_add_(0, target, torch.ones(target.size(0), dtype=x.dtype)).clamp(min=1)
        out = torch.zeros(x.size(0), 4, dtype=x.dtype)
        out.index_add_(0, target, self.lin(x)[source])
        return out / degree.unsqueeze(-1)


@network(normal(2, 3, 8, 8))
class ConvNeXtBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.dw, self.norm = nn.Conv2d(3, 3, 7, padding=3, groups=3), nn.LayerNorm(3, eps=1e-6)
        self.a, self.b, self.gamma = nn.Linear(3, 6), nn.Linear(6, 3), nn.Parameter(torch.ones(3))
    def forward(self, x):
        y = self.dw(x).permute(0, 2, 3, 1)
        y = self.gamma * self.b(F.gelu(self.a(self.norm(y))))
        return x + y.permute(0, 3, 1, 2)


@network(normal(1, 3, 12, 12))
class VGGAndAlex(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 5, stride=2, padding=2), nn.ReLU(True), nn.MaxPool2d(3, 2), nn.Conv2d(4, 5, 3, padding=1), nn.ReLU(True), nn.MaxPool2d(2, 1))
        self.classifier = nn.Sequential(nn.Linear(5, 6), nn.ReLU(True), nn.Dropout(0.0), nn.Linear(6, 3), nn.LogSoftmax(1))
    def forward(self, x):
        return self.classifier(torch.flatten(self.features(x), 1))


@network(normal(2, 3, 6, 6), normal(1), mode="eval")
class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.gn, self.time = nn.Conv2d(3, 4, 3, padding="same"), nn.GroupNorm(2, 4), nn.Linear(4, 8)
        self.up = nn.Upsample(scale_factor=1.5, mode="bilinear")
        self.down = nn.AvgPool2d(2, ceil_mode=True, count_include_pad=False)
    def forward(self, x, t):
        freqs = torch.exp(-math.log(10000) * torch.arange(2, dtype=t.dtype) / 2)
        e = torch.cat([torch.sin(t[:, None] * freqs), torch.cos(t[:, None] * freqs)], dim=-1)
        scale, shift = self.time(F.silu(e)).chunk(2, dim=1)
        h = self.gn(self.conv(x)) * (1 + scale[:, :, None, None]) + shift[:, :, None, None]
        return self.up(self.down(F.silu(h)))


@network(normal(2, 2, 9, 9))
class SpatialPyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.ModuleList(nn.Conv2d(2, 3, 3, padding=r, dilation=r) for r in (1, 2, 3))
    def forward(self, x):
        ys = [c(x) for c in self.c] + [F.interpolate(F.adaptive_avg_pool2d(x, s), size=x.shape[-2:], mode="bilinear", align_corners=False) for s in (1, 2, 4)]
        pooled, where = F.max_pool2d(x, 3, stride=3, return_indices=True)
        return torch.cat(ys, 1), F.max_unpool2d(pooled, where, 3, stride=3)


@network(normal(2, 4, 6), (normal(2, 4, seed=7) > -0.5))
class MaskedPooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(6, 1)
    def forward(self, x, mask):
        s = self.score(x).squeeze(-1).masked_fill(~mask, torch.finfo(x.dtype).min)
        y = x.clone()
        y[~mask] = 0.0
        y[:, ::2] *= 2
        length = mask.sum(dim=1, keepdim=True).clamp(min=1)
        return torch.bmm(s.softmax(-1).unsqueeze(1), x).squeeze(1), (y * mask.unsqueeze(-1)).sum(1) / length, torch.where(mask[..., None], x, torch.full_like(x, -1e9)).amax(1)


@network(normal(2, 10, 4))
class LinearAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12, bias=False)
    def forward(self, x):
        q, k, v = rearrange(self.qkv(x), "b n (three h d) -> three b h n d", three=3, h=2)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("...nd,...ne->...nde", k, v).cumsum(dim=-3)
        z = 1 / torch.einsum("...nd,...nd->...n", q, k.cumsum(dim=-2))
        return rearrange(torch.einsum("...nd,...nde,...n->...ne", q, kv, z), "b h n d -> b n (h d)")


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name: str, mode: str) -> None:
    cls, inputs, settings = NETWORKS[name]
    if settings.get("mode", mode) != mode:
        pytest.skip("in the other mode")
    torch.manual_seed(0)
    check(cls(), list(inputs), mode=mode)
