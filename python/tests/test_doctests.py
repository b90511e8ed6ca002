"""The examples in the docstrings are true."""

import doctest

import steptp._cursor
import steptp._evaluate
import steptp._verbs
import steptp._zoo
import steptp.dataset
import steptp.rewards


def test_the_examples_in_docstrings() -> None:
    failed, tried = doctest.testmod(steptp._verbs, optionflags=doctest.ELLIPSIS)
    assert failed == 0 and tried >= 12
    failed, tried = doctest.testmod(steptp._zoo)
    assert failed == 0 and tried >= 4
    for module in (steptp._cursor, steptp._evaluate, steptp.dataset, steptp.rewards):
        failed, tried = doctest.testmod(module)
        assert failed == 0 and tried >= 2
