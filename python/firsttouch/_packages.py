"""Finds the packages of robots, and runs URDF files that are programs.

A path ``package://NAME/REST`` is searched in the folders that the caller names, then in those of ``ROS_PACKAGE_PATH``
and ``AMENT_PREFIX_PATH``. A folder that is found there replaces the path in the text. Everything else is left to the
reader, which searches beside the file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias
from xml.sax.saxutils import escape, unescape

from ._errors import wrong_type

PackageDirs: TypeAlias = "Mapping[str, str | os.PathLike[str]] | Iterable[str | os.PathLike[str]] | str | os.PathLike[str]"

_PATH = re.compile(r"(?:package|model)://([^/\"'<>]+)/([^\"'<>]*)|\$\(find ([^)\"'<>]+)\)/([^\"'<>]*)")
_MOST_FOLDERS = 20_000


def robot_text(
    path: str | os.PathLike[str], package_dirs: PackageDirs | None, xacro_args: Mapping[str, str] | None
) -> str | None:
    """Returns the text of a URDF with the paths of packages replaced, or None if the file can be read as it is."""
    given = Path(path)
    is_program = given.suffix == ".xacro"
    if xacro_args is not None and not is_program:
        raise ValueError(f"xacro_args are for files that end in .xacro, not for {given.name}")
    text = _expanded(given, xacro_args or {}) if is_program else _read(given)
    if text is None:
        return None
    packages = _Packages(package_dirs)
    replaced = _PATH.sub(lambda match: packages.path_of(match), text)
    return replaced if is_program or replaced != text else None


def _read(path: Path) -> str | None:
    try:
        # If the file is missing, or is no text, the reader reports it.
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _expanded(path: Path, arguments: Mapping[str, str]) -> str:
    try:
        import xacro
    except ImportError as error:
        text = f"{path} is a program for xacro: the package xacro, or the extra [xacro] of firsttouch, reads it"
        raise ModuleNotFoundError(text, name="xacro") from error
    try:
        document: Any = xacro.process_file(str(path), mappings={name: str(value) for name, value in arguments.items()})
    except Exception as error:
        # It has a dozen kinds of errors, and some are plain `Exception`.
        raise OSError(f"{path}: xacro: {error}") from error
    return str(document.toxml())


class _Packages:
    def __init__(self, given: PackageDirs | None) -> None:
        self._named: dict[str, Path] = {}
        self._roots: list[Path] = []
        if isinstance(given, Mapping):
            self._named = {name: Path(folder) for name, folder in given.items()}
        elif isinstance(given, (str, os.PathLike)):
            self._roots = [Path(given)]
        elif given is not None:
            try:
                self._roots = [Path(folder) for folder in given]
            except TypeError:
                raise wrong_type(given, "package_dirs", "a folder, several, or a mapping of names to folders") from None
        for folder in [*self._named.values(), *self._roots]:
            if not folder.is_dir():
                raise OSError(f"package_dirs: {folder} is no folder")
        self._roots += [Path(part) for part in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if part]
        prefixes = [Path(part) for part in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part]
        self._roots += [prefix / "share" for prefix in prefixes]
        self._found: dict[str, list[Path]] = {}

    def path_of(self, match: re.Match[str]) -> str:
        """Returns the file that a path stands for, or the path itself if there is no such file."""
        package, rest = (unescape(match.group(k) or match.group(k + 2)) for k in (1, 2))
        for folder in self._folders(package):
            if (folder / rest).is_file():
                return escape(str((folder / rest).resolve()), {'"': "&quot;"})
        return match.group(0)

    def _folders(self, package: str) -> list[Path]:
        if package not in self._found:
            named = [self._named[package]] if package in self._named else []
            self._found[package] = named + [folder for root in self._roots for folder in _below(root, package)]
        return self._found[package]


def _below(root: Path, package: str) -> list[Path]:
    """Returns the folder of a package at or below a root. A folder matches by its name or by its ``package.xml``, and
    no folder below one with a ``package.xml`` is searched."""
    if root.name == package and root.is_dir():
        return [root]
    if (root / package).is_dir():
        return [root / package]
    found: list[Path] = []
    for count, (folder, below, files) in enumerate(os.walk(root)):
        if count > _MOST_FOLDERS:
            break
        if "package.xml" in files:
            below.clear()
            text = _read(Path(folder) / "package.xml") or ""
            name = re.search(r"<name>\s*([^<\s]+)\s*</name>", text)
            if name is not None and name.group(1) == package:
                found.append(Path(folder))
    return found
