"""What lies under one heading, of whatever level: structural strategies never cross its borders."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.core.documents.model import Block, BlockKind, Section

_HEADING, _COMMENT = BlockKind.HEADING, BlockKind.COMMENT  # looked up once


def regions(section: Section) -> Iterator[list[Block]]:
    """Yield the blocks under each heading, without headings and without comments at either end."""
    region: list[Block] = []
    path: tuple[str, ...] = ()
    for block in section.blocks:
        if region and (block.kind is _HEADING or block.heading_path != path):
            yield _bare(region)
            region = []
        if block.kind is not _HEADING and (region or block.kind is not _COMMENT):
            region.append(block)
            path = block.heading_path
    if region:
        yield _bare(region)


def _bare(region: list[Block]) -> list[Block]:
    while region[-1].kind is _COMMENT:
        region.pop()
    return region
