# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that open a page of docs/, and *Online Manual*: each leads to a heading that is there."""

import re
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import documentation, markdown
from levelwright.addon.scene.interface.sidebar import LevelPanel

from tests.addon.contract.test_operators import idname, own_operators
from tests.packaging.test_documents import anchors

DOCS = Path(__file__).resolve().parents[2] / "docs"


def is_there(page: str) -> bool:
    """Whether a page, with its heading, is there in the repository, and in what is written for the browser."""
    name, _, anchor = page.partition("#")
    path = DOCS / name
    if not path.is_file() or (anchor and anchor not in anchors(path)):
        return False
    html = Path(documentation.address(page).partition("#")[0].removeprefix("file://"))
    return not anchor or f'id="{anchor}"' in html.read_text(encoding="utf-8")


def test_each_link_leads_to_a_heading() -> None:
    pages = dict(documentation.links())
    assert len(pages) > 100
    assert [f"{name}: {page}" for name, page in pages.items() if not is_there(page)] == []


def test_each_panels_button_leads_to_a_heading() -> None:
    found = [getattr(bpy.types, name) for name in dir(bpy.types)]
    panels = [cls for cls in found if isinstance(cls, type) and issubclass(cls, LevelPanel)]
    with_button = [cls for cls in panels if cls.anchor or not getattr(cls, "bl_parent_id", "")]
    assert len(with_button) >= 8
    wrong = [f"{cls.format_key}.md#{cls.anchor}".rstrip("#") for cls in with_button]
    assert [page for page in wrong if not is_there(page)] == []


def manual(name: str) -> str:
    """Where *Online Manual* leads for what Blender calls so."""
    found: Any = bpy.types.WM_OT_doc_view_manual._lookup_rna_url(name, verbose=False)
    return str(found or "")


def test_online_manual_knows_each_operator() -> None:
    for cls in own_operators():
        assert "/levelwright-docs/" in manual(f"bpy.ops.{idname(cls)}"), idname(cls)
    assert manual("bpy.ops.levelwright.teeworlds_fill_tiles").endswith("/teeworlds.html#the-stamp-tool")
    assert manual("bpy.ops.import_scene.source_bsp").endswith("/source.html#options")
    assert manual("bpy.ops.levelwright.check_setup").endswith("/using.html#folders-of-games")
    assert manual("bpy.types.LevelwrightPreferences.mapres_directory").endswith("/using.html#folders-of-games")
    assert manual("bpy.types.TeeworldsStamp.size").endswith("/teeworlds.html")
    for name in ("bpy.types.Object.location", "bpy.ops.wm.tool_set_by_id", "bpy.types.bpy_struct"):
        assert "levelwright" not in manual(name)


def test_what_is_written_for_the_browser_has_all_of_the_page() -> None:
    folder = Path(documentation.address("using.md").removeprefix("file://")).parent
    for page in DOCS.glob("*.md"):
        made = (folder / f"{page.stem}.html").read_text(encoding="utf-8")
        for name, anchor in re.findall(r'href="([\w-]+\.html)?#([^"]*)"', made):
            assert f'id="{anchor}"' in (folder / (name or f"{page.stem}.html")).read_text(encoding="utf-8")
        text = re.sub(r"<pre>.*?</pre>|<code>.*?</code>", "", made.partition("<body>")[2], flags=re.DOTALL)
        assert "](" not in text and "**" not in text and "```" not in made, page.name
        for tag in ("p", "ul", "ol", "li", "table", "tr", "td", "th", "code", "pre", "strong", "em", "a"):
            assert len(re.findall(f"<{tag}[ >]", made)) == made.count(f"</{tag}>"), f"{page.name}: {tag}"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("# What is *told*", '<h1 id="what-is-told">What is <em>told</em></h1>'),
        ("a\nb\n\nc", "<p>a\nb</p>\n<p>c</p>"),
        ("- a\n  b\n- c", "<ul><li>a\nb</li>\n<li>c</li>\n</ul>"),
        ("- a:\n  - b\n  - c\n\nd", "<ul><li>a:\n<ul><li>b</li>\n<li>c</li>\n</ul></li>\n</ul>\n<p>d</p>"),
        ("1. a\n2. b", "<ol><li>a</li>\n<li>b</li>\n</ol>"),
        ("a:\n\n    x <y>\n\n      z\n\nb", "<p>a:</p>\n<pre>x &lt;y&gt;\n\n  z</pre>\n<p>b</p>"),
        ("```sh\n# x\n```", "<pre># x</pre>"),
        ("| a |\n|---|\n| 1 \\| `2` |", "<table><tr><th>a</th></tr>\n<tr><td>1 | <code>2</code></td></tr></table>"),
        ("[a](using.md#b), [c](gone.md), [d](#e)", '<p><a href="using.html#b">a</a>, c, <a href="#e">d</a></p>'),
        ("[a](https://x.org)", '<p><a href="https://x.org">a</a></p>'),
        ("**a `*b*`** ![c](d.png) 2 * 3 * 4", "<p><strong>a <code>*b*</code></strong> c 2 * 3 * 4</p>"),
        ("<!-- licence -->\na", "<p>a</p>"),
    ],
)  # fmt: skip
def test_what_markdown_becomes(text: str, made: str) -> None:
    assert markdown.page(text, {"using.md"}).partition("<body>\n")[2].partition("\n</body>")[0] == made


def test_links_lead_from_one_folder_to_another() -> None:
    pages = {"source.md", "how-to/door.md", "how-to/light.md"}
    text = "[a](../source.md#x) [b](light.md) [c](../how-to/none.md)"
    made = markdown.page(text, pages, "how-to")
    assert 'href="../source.html#x"' in made
    assert 'href="light.html"' in made
    assert "none" not in made
    assert 'href="how-to/door.html"' in markdown.page("[a](how-to/door.md)", pages)


def test_the_button_opens_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert bpy.ops.levelwright.documentation(page="source.md#leaks") == {"FINISHED"}
    assert bpy.ops.wm.doc_view_manual(doc_id="levelwright.source_find_leaks") == {"FINISHED"}
    assert opened[0] == opened[1] and opened[0].endswith("/source.html#leaks")
