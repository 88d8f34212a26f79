from __future__ import annotations

from tests.cli.conftest import Shell


def test_an_original_becomes_a_document(shell: Shell) -> None:
    (shell.folder / "hours.html").write_text("<h1>Hours</h1><p>We open at nine.</p>", encoding="utf-8")
    ran = shell.bare("convert", str(shell.folder), "--json")
    assert ran.code == 0
    assert [(one["outcome"], one["problem"]) for one in ran.json["files"]] == [("converted", "")]
    assert shell.bare("verify", str(shell.folder), "--json").json["files"] == 7
    assert "1 files, 1 of them unchanged" in shell.bare("convert", str(shell.folder)).out


def test_what_can_not_be_converted_is_named(shell: Shell) -> None:
    (shell.folder / "fees.pdf").write_bytes(b"broken")
    ran = shell.bare("convert", str(shell.folder / "fees.pdf"))
    assert ran.code == 0
    assert "failed" in ran.out
    assert "fees.pdf" in ran.out
    assert shell.bare("convert", "/no/such/file.pdf").code == 2
