"""The rewards as ms-swift's reward functions.

    swift rlhf --rlhf_type grpo --external_plugins PATH/steptp/swift_plugin.py \\
        --reward_funcs steptp_step steptp_format ...

``python -c "import steptp.swift_plugin as plugin; print(plugin.__file__)"`` prints the path. Without ms-swift the classes
are there all the same, and are registered nowhere.
"""

from __future__ import annotations

import importlib
from typing import Any

from steptp import rewards


def _find_swift() -> tuple[type, dict[str, type]]:
    """The base class of reward functions and the table of their names; where these are differs between versions."""
    for place in ("swift.rewards", "swift.plugin", "swift.plugin.orm"):
        try:
            module = importlib.import_module(place)
            return module.ORM, module.orms
        except (ImportError, AttributeError):
            continue
    return object, {}


_Base, orms = _find_swift()


class SteptpStep(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.step`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.step(completions=completions, **columns)


class SteptpFaster(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.faster`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.faster(completions=completions, **columns)


class SteptpEqual(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.equal`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.equal(completions=completions, **columns)


class SteptpSafe(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.safe`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.safe(completions=completions, **columns)


class SteptpDifferent(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.different`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.different(completions=completions, **columns)


class SteptpFormat(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.format`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.format(completions=completions, **columns)


class SteptpStrategyMatches(_Base):  # type: ignore[misc, valid-type]
    """`steptp.rewards.strategy_matches`"""

    def __call__(self, completions: Any, **columns: Any) -> list[float]:
        return rewards.strategy_matches(completions=completions, **columns)


orms.update(
    steptp_step=SteptpStep,
    steptp_faster=SteptpFaster,
    steptp_equal=SteptpEqual,
    steptp_safe=SteptpSafe,
    steptp_different=SteptpDifferent,
    steptp_format=SteptpFormat,
    steptp_strategy_matches=SteptpStrategyMatches,
)
