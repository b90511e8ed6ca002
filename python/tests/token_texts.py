"""Texts on which the C++ tokenizer must agree with the Python package `tokenizers` (tested with 0.23.3)."""

import random

# Written for these tests; not taken from any corpus.
LEIR = [
    "B^{16}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx}=C^{f32,g}_{tx}+A^{f32,g}_{tx,a};];",
    "B^{128}_{bx=0}T^{32}_{tx=0}[O^{f16,g}_{bx,tx}=max(X^{f16,g}_{bx,tx},0);];",
    "L^{3}_{f=0}L^{4}_{a=0}[S^{i32,s}_{f*4+a}=exp(Y^{f32,l}_{f,a}-M^{f32,g}_{f})/Z^{f32,g}_{f};];",
    "B^{7}_{tx=0}[D^{bf16,g}_{tx}=rsqrt(E^{f32,g}_{tx}*0.0009765625+1e-05);];\nL^{2}_{q=0}[F^{f32,g}_{q}=1.5;];\n",
    "// split a by 4\nfor (int i = 0; i < 1024; ++i) { out[i] += lhs[i * 512 + k] * rhs[k]; }\n",
]

CORNERS = [
    "", " ", "  ", "   a", "a ", "a  ", "a   b", "\t", "\t\tx", " \t x", "\n", "\n\n", "\r\n", "\r\n\r\n x", "a\r\nb",
    "  \n  \n  x", " \n", "x \n", "x  \r\n\t\r\n y", "!\n\n!", "! \n!", " !\r\n\n a", "\x0b\x0c\x1c\x1d\x85\xa0x",
    "\u1680\u2000\u2028\u2029\u202f\u205f\u3000a", "\u3000 \u3000", "\u200b\u200c\u200d\ufeff", "\x00", "a\x00b\x00\x00",
    "I'm you're he's we've she'll he'd isn't", "I'M YOU'RE HE'S WE'VE SHE'LL HE'D ISN'T", "'S'T'RE'VE'M'LL'D", "'rE'Ve'lL",
    "x'\u017fy", "'\u017f", "'\u017ft", "it\u2019s", "''s", "'", "''", "'r", "'l", "'v", "'la", "'re's", "' s", "'\u212a",
    "don't'stop", "\n's", " 's", "1's", "a'sb'tc",
    "0123456789", "3.14159e-10", "1 2 3", "a1b2", "\u0660\u0661\u0662", "\u0967\u0968", "\u00bd\u00b2\u2160\u3007\u4e00",
    "\U0001d7ce\U0001d7cf", "\u2460\u2461", "\u0bf0", "\U00010d40\U0001ccf0\U00016d70",
    "e\u0301 e\u0301\u0323 e\u0323\u0301", "a\u0300\u0316\u0300", "\u0301abc", "q\u0307\u0323", "\u1e9b\u0323", "\u212b\u2126\u00c5",
    "\u0344\u0374\u037e\u0387", "\u0958\u0959\u09dc", "\u0fb2\u0f71\u0f80", "\ufb1d\ufb2a\ufb4e", "\uf900\ufa0e\U0002f800",
    "\u1100\u1161\u11a8", "\u1100\u1161", "\u1100\u1100\u1161\u11a7\u11a8", "\uac00\u11a8\uac01\u11a8", "\u1161\u11a8", "\u3131\u314f",
    "\u1112\u1161\u11ab\u1100\u1173\u11af", "\uffa1\uffc2",
    "\u0915\u094d\u0937\u093f", "\u0e01\u0e33\u0e49", "\u0643\u062a\u064e\u0628\u064e", "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd",
    "\U00011935\U00011930", "\U00011938", "a\u1ac1\u0334", "a\U00010efd\u0334", "\U000105d2\u0307",  # newer than the package's NFC
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f44d\U0001f3fd", "\U0001f1e9\U0001f1ea",
    "\u2764\ufe0f\u200d\U0001f525", "\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|><|im_end|>", " <|im_end|> ", "a<|endoftext|>b", "x <think> y </think> z",
    "<think>\n\n</think>\n\n", "<tool_call>{}</tool_call>", "<|im_start|", "<|im_start|>>", "<<|im_end|>>", "<|IM_END|>",
    "<|fim_prefix|>e<|fim_suffix|>\u0301", "<|im_end|>\u0301e\u0301", "e<|im_end|>\u0301", "  <|im_end|>  \n<|im_end|>\n\n  ",
    "<|im_start|>'s", "<thi", "<think", "</think></think>", "<\u200bthink>", "<|object_ref_start|><|quad_end|><|vision_pad|>",
    "\ue000\uf8ff\U000f0000\U0010ffff", "\ufffe\uffff\ufdd0", "\u0378\u0530\U0003ffff\U000e0fff", "\ufffd",
    "\u4f60\u597d\uff0c\u4e16\u754c\u3002", "\u3053\u3093\u306b\u3061\u306f", "\u304b\u3099\u30cf\u309a", "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!",
    "\u01c5\u01c8\u02b0\u02bc\u00aa\u00ba", "stra\u00dfe STRASSE \u1e9e \u0130\u0131 \ufb01\ufb06", "f(x)=\u2211_{i=0}^{n}\u03b1_i\u00b7x^i \u2264 \u221e",
    "snake_case CamelCase kName __init__ a.b->c::d", "http://example.org/?q=1&r=%20#x", "\\n \\\\ \"q\" 'q' `q`",
    "a" * 1000, "ab" * 700, " " * 1000, "\n" * 500, "=" * 777, "\u00e9" * 300, "e\u0301" * 300, "\u0301\u0323" * 200,
    "9" * 100, "lorem" * 200, " \t" * 300 + "x", "\u4e2d" * 400, "\U0001f600" * 150, "'" * 99, "ThequickbrownfoxJumps" * 30,
]


def added_tokens_mixed(seed, count):
    """Pieces of added tokens among other things, so that borders and near misses occur in every combination."""
    pieces = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<", "|>", "<|", "im_end", " ", "\n", "a", "'s", "e",
              "\u0301", "1", "<|endoftext|>", "  ", "\u4e2d", "<tool_call>", "tool_call>", "!", "\uac00", "\u11a8"]
    rng = random.Random(seed)
    return ["".join(rng.choices(pieces, k=rng.randrange(1, 12))) for _ in range(count)]


def random_unicode(seed, count):
    """Strings over everything assigned or not, weighted towards where classes and normalisation meet."""
    rng = random.Random(seed)

    def scalar(low, high):
        while True:
            point = rng.randrange(low, high)
            if not 0xD800 <= point < 0xE000:
                return chr(point)

    kinds = [
        lambda: scalar(0, 0x80), lambda: scalar(0, 0x80), lambda: scalar(0x80, 0x250), lambda: scalar(0x300, 0x370),
        lambda: scalar(0x370, 0x600), lambda: scalar(0x590, 0x1200), lambda: scalar(0x1100, 0x1200),
        lambda: scalar(0x1AB0, 0x2100), lambda: scalar(0x2000, 0x3100), lambda: scalar(0x4E00, 0xA000),
        lambda: scalar(0xA000, 0xD800), lambda: scalar(0xE000, 0x10000), lambda: scalar(0x10000, 0x12000),
        lambda: scalar(0x12000, 0x20000), lambda: scalar(0x1F000, 0x1FB00), lambda: scalar(0x20000, 0x110000),
        lambda: scalar(0, 0x110000), lambda: rng.choice(" \t\r\n\u3000\u00a0'sStTlLrRvVeEdDmM\u017f0123456789"),
    ]
    texts = []
    for _ in range(count):
        chosen = rng.sample(kinds, rng.randrange(1, 5))
        texts.append("".join(rng.choice(chosen)() for _ in range(rng.randrange(1, 40))))
    return texts


def leir_like(seed, count):
    rng = random.Random(seed)

    def index(depth=0):
        name = rng.choice(["tx", "bx", "a", "c", "d", "f", "h", "i0", "k1"])
        if depth < 2 and rng.random() < 0.3:
            return f"{index(depth + 1)}{rng.choice('+*-')}{rng.choice([name, str(rng.randrange(1, 2048))])}"
        return name

    def access():
        kind = rng.choice(["f32", "f16", "bf16", "i32", "f64"])
        return f"{rng.choice('ABCDEFGHXYZ')}^{{{kind},{rng.choice('gsl')}}}_{{{','.join(index() for _ in range(rng.randrange(1, 5)))}}}"

    def value(depth=0):
        if depth > 2 or rng.random() < 0.4:
            return rng.choice([access(), access(), str(rng.randrange(100)), repr(rng.random() * 10 ** rng.randrange(-8, 3))])
        if rng.random() < 0.4:
            return f"{rng.choice(['exp', 'log', 'max', 'sqrt', 'sigmoid', 'tanh'])}({value(depth + 1)},{value(depth + 1)})"
        return f"{value(depth + 1)}{rng.choice('+-*/')}{value(depth + 1)}"

    def expression():
        loops = "".join(f"{rng.choice('BTL')}^{{{2 ** rng.randrange(1, 15)}}}_{{{rng.choice(['tx', 'a', 'c', 'd'])}=0}}"
                        for _ in range(rng.randrange(1, 5)))
        return f"{loops}[{access()}={value()};];"

    return [rng.choice(["", "\n"]).join(expression() for _ in range(rng.randrange(1, 6))) for _ in range(count)]
