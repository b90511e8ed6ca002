from __future__ import annotations

import itertools

import pytest

import steptp

PROFILES = ("paper", "compact")
TARGETS = ("program", "answer", "answers")


def test_every_grammar_begins_with_its_root_and_differs() -> None:
    texts = {
        steptp.grammar(profile, target, published)
        for profile, target, published in itertools.product(PROFILES, TARGETS, (False, True))
    }
    assert len(texts) == 12 and all("root ::=" in text for text in texts)


def test_the_published_language_has_no_extensions() -> None:
    assert '"tanh"' in steptp.grammar() and '"tanh"' not in steptp.grammar(published=True)


def test_names_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="no profile 'latex'"):
        steptp.grammar("latex")
    with pytest.raises(ValueError, match="no grammar for 'essay': there are 'program', 'answer' and 'answers'"):
        steptp.grammar(target="essay")
