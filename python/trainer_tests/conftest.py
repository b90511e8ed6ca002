"""What the tests of both trainers begin with: Qwen3's tokenizer and a model of two layers with random weights."""

import pytest
from exported_rows import all_texts
from tiny_qwen3 import make_tokenizer, save
from trl.chat_template_utils import qwen3_chat_template


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer(qwen3_chat_template, all_texts())


@pytest.fixture(scope="module")
def model(tokenizer, tmp_path_factory):
    """The folder of a model: trainers that want a reference model load it a second time."""
    return str(save(tmp_path_factory.mktemp("model"), tokenizer))
