"""The grammar engine of the xgrammar package, without its Python face.

`import xgrammar` wants PyTorch and transformers, 5.7 GB once installed, although the engine itself is one shared
library of 3 MB that needs neither. Where PyTorch is there we use the public classes; where it is not, we load that
library through the package's own binding file. Both drive the same engine. The binding is not public, which is why
requirements-test.txt pins the version.
"""

import importlib.metadata
import importlib.util

BYTE_LEVEL = 2  # xgrammar.VocabType.BYTE_LEVEL


def has_package():
    """Whether the public classes can be used (installed, and PyTorch with them)."""
    return all(importlib.util.find_spec(name) for name in ("xgrammar", "torch", "transformers"))


def _binding():
    from tvm_ffi.libinfo import load_lib_module

    package = importlib.metadata.distribution("xgrammar").locate_file("xgrammar")
    load_lib_module("xgrammar", "xgrammar_bindings", extra_lib_paths=[package])
    spec = importlib.util.spec_from_file_location("xgrammar_binding", package / "tvm_ffi_binding" / "_ffi_api.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Engine:
    """Compiles grammars for one vocabulary: `vocabulary[id]` is the token as the tokenizer file spells it."""

    def __init__(self, vocabulary, stop_token, package=None):
        self.package = has_package() if package is None else package
        self.stop_token = stop_token
        self.mask_words = (len(vocabulary) + 31) // 32
        if self.package:
            import xgrammar

            self._xgrammar = xgrammar
            info = xgrammar.TokenizerInfo(
                vocabulary, vocab_type=xgrammar.VocabType.BYTE_LEVEL, stop_token_ids=[stop_token]
            )
            self._compiler = xgrammar.GrammarCompiler(info, max_threads=2, cache_enabled=False)
        else:
            self._core = _binding()
            info = self._core.TokenizerInfo(vocabulary, BYTE_LEVEL, None, [stop_token], False)
            self._compiler = self._core.GrammarCompiler(info, 2, False, -1)

    def compile(self, grammar):
        if self.package:
            return self._compiler.compile_grammar(grammar, root_rule_name="root")
        return self._compiler.compile_grammar_from_strings(grammar, "root")

    def matcher(self, compiled):
        return Matcher(self, compiled)


class Matcher:
    def __init__(self, engine, compiled):
        self._engine = engine
        if engine.package:
            self._matcher = engine._xgrammar.GrammarMatcher(compiled)
            self._rest = ()
        else:
            self._matcher = engine._core.GrammarMatcher(compiled, None, False, -1, None)
            self._rest = (False,)  # debug_print has no default in the binding

    def accept_token(self, token):
        return self._matcher.accept_token(token, *self._rest)

    def accept_bytes(self, data):
        return self._matcher.accept_string(data, *self._rest)

    def accept_stop(self):
        return self.accept_token(self._engine.stop_token)

    def fill_mask(self, mask):
        """`mask`: int32, one row of `engine.mask_words`."""
        return self._matcher.fill_next_token_bitmask(mask, 0, *self._rest)
