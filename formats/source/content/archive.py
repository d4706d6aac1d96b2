# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of a game's files."""

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

from ...binary import FormatError
from ...reach import AllowedFolders

_List = TypeVar("_List")


class Archive(ABC, Generic[_List]):
    """An archive. Nothing is read before it is asked for; then the list of its files, once, or one file."""

    def __init__(self, path: Path, reach: AllowedFolders | None = None) -> None:
        """reach: what its files are opened through; None: they are in its folder."""
        self.path = path
        self.reach = reach or AllowedFolders([path.parent])

    @abstractmethod
    def _read_list(self) -> _List:
        """Read which files there are. Raises FormatError for a bad list; OSError."""

    @cached_property
    def _outcome(self) -> _List | FormatError:
        """The list; or why there is none, so that a damaged one is not read for each file anew."""
        try:
            return self._read_list()
        except FormatError as error:
            return error

    @property
    def _list(self) -> _List:
        """The list. Raises FormatError, OSError."""
        if isinstance(self._outcome, FormatError):
            raise self._outcome
        return self._outcome
