"""The examples in the docstrings are true."""

import doctest

import steptp._verbs
import steptp._zoo


def test_the_examples_in_docstrings() -> None:
    failed, tried = doctest.testmod(steptp._verbs, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried >= 12
    failed, tried = doctest.testmod(steptp._zoo)
    assert failed == 0 and tried >= 4
