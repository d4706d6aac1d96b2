# SPDX-License-Identifier: GPL-3.0-or-later
"""Markdown as the pages of `docs/` have it, to HTML: headings, paragraphs, lists, tables, code, links, emphasis.

It is for our own pages, which tests read; it is no general reader of Markdown.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable, Collection, Iterator

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`"
    r"|!\[(?P<alt>[^\]]*)\]\([^)\s]*\)"
    r"|\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?P<link>[^)\s]*)\)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|\*(?P<emphasis>[^*\s](?:[^*]*[^*\s])?)\*",
    re.DOTALL,
)
_ITEM = re.compile(r"(?:[-*]|(\d+)\.) +")
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #bbb; padding: .3em .6em; text-align: left; vertical-align: top }
code, pre { font: 14px monospace; background: #f0f0f0 } pre { padding: .6em; overflow-x: auto }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #222 } code, pre { background: #333 }
 a { color: #8bf } }
"""


def slug(title: str) -> str:
    """The anchor of a heading, as it is made for the web: small letters, hyphens for blanks."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def page(text: str, pages: Collection[str], folder: str = "") -> str:
    """Return a page as HTML. pages: the names of those that are there ("using.md", "how-to/a.md"); links to others are
    plain text. folder: the page's own among them.
    """
    lines = _COMMENT.sub("", text).splitlines()
    title = next((found[2] for line in lines if (found := _HEADING.fullmatch(line))), "Levelwright")
    body = "\n".join(_blocks(lines, lambda link: _target(link, pages, folder)))
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body>\n{body}\n</body></html>\n"


def _target(link: str, pages: Collection[str], folder: str) -> str | None:
    """Where a link leads in the browser; None for one to a page that isn't there."""
    name, mark, anchor = link.partition("#")
    if not name or re.match(r"https?:", link):
        return link
    is_there = posixpath.normpath(posixpath.join(folder, name)) in pages
    return f"{name.removesuffix('.md')}.html{mark}{anchor}" if is_there else None


_Links = Callable[[str], str | None]


def _blocks(lines: list[str], links: _Links) -> Iterator[str]:
    """Give the blocks of some lines as HTML."""
    at = 0
    while at < len(lines):
        line = lines[at]
        heading = _HEADING.fullmatch(line)
        if not line.strip():
            at += 1
        elif heading is not None:
            level = len(heading[1])
            yield f'<h{level} id="{slug(heading[2])}">{_inline(heading[2], links)}</h{level}>'
            at += 1
        elif line.startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("```")), len(lines))
            yield _code(lines[at + 1 : end])
            at = end + 1
        elif line.startswith("    "):
            end = _end(lines, at, lambda one: one.startswith("    ") or not one.strip())
            yield _code([one[4:] for one in lines[at:end]])
            at = end
        elif line.startswith("|"):
            end = _end(lines, at, lambda one: one.startswith("|"))
            yield _table(lines[at:end], links)
            at = end
        elif _ITEM.match(line):
            end = _end_of_list(lines, at)
            yield _list(lines[at:end], links)
            at = end
        else:
            end = _end(lines, at, _continues)
            yield f"<p>{_inline(chr(10).join(lines[at:end]), links)}</p>"
            at = end


def _continues(line: str) -> bool:
    """Whether a line goes on with a paragraph."""
    return bool(line.strip()) and not line.startswith(("|", "```", "#")) and not _ITEM.match(line)


def _end(lines: list[str], at: int, belongs: Callable[[str], bool]) -> int:
    """Where the lines end that belong to a block that begins at a line."""
    return next((n for n in range(at + 1, len(lines)) if not belongs(lines[n])), len(lines))


def _end_of_list(lines: list[str], at: int) -> int:
    """Where a list ends: at a line that is neither an item nor indented, behind a blank one."""
    for n in range(at + 1, len(lines)):
        after_blank = not lines[n - 1].strip()
        if after_blank and lines[n].strip() and not lines[n].startswith(" ") and not _ITEM.match(lines[n]):
            return n
        if _HEADING.fullmatch(lines[n]) or lines[n].startswith(("|", "```")):
            return n
    return len(lines)


def _list(lines: list[str], links: _Links) -> str:
    """A list, whose items may hold anything."""
    items: list[list[str]] = []
    numbered = False
    for line in lines:
        item = _ITEM.match(line)
        if item is not None:
            numbered = numbered or item[1] is not None
            width = item.end()
            items.append([line[width:]])
        else:
            indent = min(width, len(line) - len(line.lstrip()))
            items[-1].append(line[indent:])
    tag = "ol" if numbered else "ul"
    inner = ["\n".join(_blocks(item, links)) for item in items]
    bare = [re.sub(r"^<p>(.*?)</p>", r"\1", one, flags=re.DOTALL) for one in inner]
    return f"<{tag}>" + "".join(f"<li>{one}</li>\n" for one in bare) + f"</{tag}>"


def _table(lines: list[str], links: _Links) -> str:
    """A table: the second line only says that the first one is its head."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
    made = []
    for number, row in enumerate(rows):
        tag = "th" if number == 0 and len(rows) > 1 else "td"
        if number != 1 and any(row):
            cells = (_inline(cell.replace("\\|", "|"), links) for cell in row)
            made.append("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>")
    return "<table>" + "\n".join(made) + "</table>"


def _code(lines: list[str]) -> str:
    return f"<pre>{html.escape(chr(10).join(lines).rstrip())}</pre>"


def _inline(text: str, links: _Links) -> str:
    """A text with its emphasis, code and links; pictures are their descriptions."""
    made, at = [], 0
    for found in _INLINE.finditer(text):
        made.append(html.escape(text[at : found.start()]))
        at = found.end()
        if found["code"] is not None:
            made.append(f"<code>{html.escape(found['code'])}</code>")
        elif found["strong"] is not None:
            made.append(f"<strong>{_inline(found['strong'], links)}</strong>")
        elif found["emphasis"] is not None:
            made.append(f"<em>{_inline(found['emphasis'], links)}</em>")
        elif found["link"] is not None:
            inner, target = _inline(found["text"], links), links(found["link"])
            made.append(inner if target is None else f'<a href="{html.escape(target)}">{inner}</a>')
        else:
            made.append(html.escape(found["alt"]))
    return "".join([*made, html.escape(text[at:])])
