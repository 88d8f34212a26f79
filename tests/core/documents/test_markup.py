"""What documentation tools write into Markdown: their markup is no words, what stands between it is."""

from __future__ import annotations

import pytest

from webapp.core.chunking.verify import verify_document
from webapp.core.documents.config import CollectionConfig
from webapp.core.documents.model import Document
from webapp.core.documents.reading import document_from_bytes

HUGO = [
    ("{{< note >}}Mind the *gap*.{{< /note >}}", "Mind the gap."),
    ('{{< img src="a_b.png" alt="x *y* z" >}}\n\nText.', "x y z Text."),
    ('{{<tabs>}}\n{{% tab "One" %}}\nInside.\n{{% /tab %}}\n{{</tabs>}}', "One Inside."),
    ("{{% steps %}}\n1. One\n2. Two\n{{% /steps %}}", "One Two"),
    ('See [the page]({{< ref "x.md" >}}) now.', "See the page now."),
    ("Show `{{< x >}}` and {{</* x */>}} now.", "Show {{< x >}} and {{</* x */>}} now."),
    ("{{< never closed {{< b >}} here", "{{< never closed here"),
]
LIQUID = [
    ('{% include note.html content="Hi *there*" %}\n\n{% if x %}Shown{% endif %}', "Hi there Shown"),
    ("See [the *form*]({% link f.md %}), ![a bike]({% asset b.png %}).", "See the form, a bike."),
    ("<div>{% if x %}Shown{% endif %}</div>", "Shown"),
    ("`{%` opens, `%}` closes.", "{% opens, %} closes."),
    ("```\n{% raw %}\n```", "{% raw %}"),
    ("\\{% not one %}", "{% not one %}"),
    ("{% never closed", "{% never closed"),
    ("{{ page.title }} and {0}", "{{ page.title }} and {0}"),
    ("Text.\n{: .note}\n\nMore.", "Text. More."),
    ("Text.\n{.note #a b='c d'}\n\n![A bike](b.png)\n{width=\"9\"}", "Text. A bike"),
    ("Sets are written {a, b}\n{a, b} or\n{.5}", "Sets are written {a, b} {a, b} or {.5}"),
    ("*[HTML]: Hyper *Text*\n*[CSS]: Sheets\n\n{!a/b.md!}\n\nText.", "Text."),
    ('{% hint title="Mind *this*" %}\nText.\n{% endhint %}\n\n{% assign title = "x" %}', "Mind this Text."),
    ('{{< card\n  link="x"\n\n  title="Opening hours" >}}\nNine.\n{{< /card >}}', "Opening hours Nine."),
]
DOCFX = [
    (':::image type="content" source="a_b.png" alt-text="A *red* bike":::\n\nText.', "A *red* bike Text."),
    (':::row:::\n:::column span="2":::\nInside.\n:::column-end:::\n:::row-end:::', "Inside."),
    (':::zone target="docs" pivot="a"\nText.\n:::zone-end', "Text."),
    ('> [!div class="checklist"]\n> * One\n\n> [!VIDEO https://x.org/a_b]', "One"),
    ("> [!NOTE]\n> Mind the gap.", "Mind the gap."),
    ("[!INCLUDE [note](../inc/a.md)]\n\nSee [!include[x](y.md)] it.", "See it."),
    (
        'Press :::image type="icon" source="a.svg" alt-text="the gear"::: or :::no-loc text="Go":::.',
        "Press the gear or Go.",
    ),
    ('| a |\n|---|\n| :::image source="a.svg" border="false"::: yes |', "a yes"),
    ("- <xref:A.B_c?displayProperty=fullName> or <xref:A.D%2A>, `<xref:E>`.", "A.B_c or A.D, <xref:E>."),
    ("[!UICONTROL Save] it, or `[!DNL x]` [!DNL Acme]{type=x}.", "Save it, or [!DNL x] Acme."),
    (":material-clock:{ .lg } __Hours__ :octicons-x-16: `x`{.sh} *now*{: .a }", "Hours x now"),
    ("> [!faq]- Why?\n> So.", "Why? So."),
    ("Glob [!a-z], [!] and wow!!! end", "Glob [!a-z], [!] and wow!!! end"),
]
MDX = [
    ("Text {/* a\nnote */}goes on.", "Text goes on."),
    ("<p style={{color: 'red'}}>One</p>\n\nA <b className={x} id='a'>two</b>, `<b a={c}>`.", "One A two, <b a={c}>."),
    ('<div\n  style={{\n    a: 1,\n  }}\n>\n\n**One**\n\n</div>\n\n<img alt="A bike" width={9} />', "One A bike"),
    ('- <Tip title="Mind this">Text.</Tip>\n- Some <Tip title="x">words</Tip>', "Mind this Text. Some words"),
    ("Text <Tabs items={[1, 2]} of={{a: 1}}>goes</Tabs> on.", "Text goes on."),
    ('<Tab\n  value="a"\n  of={{\n    a: 1,\n  }}\n>\n\nInside.\n\n</Tab>', "Inside."),  # `>` begins a quote here
    ("{/* note */} A Map<K, V> of {props.x}", "A Map<K, V> of {props.x}"),
    ("Text {{/* c */}}", "Text"),
    ("{/* never closed {/* here", "{/* never closed {/* here"),
]


def read(text: str) -> Document:
    return document_from_bytes(f"---\nlang: en\n---\n{text}".encode(), "page.md", CollectionConfig())


@pytest.mark.parametrize("text", [':::image alt-text="A bike.\nAnd more"', ':::image alt-text="A\nb"\n:::note[c]\nd'])
def test_words_inside_marks_of_several_lines_are_in_order(text: str) -> None:
    runs = read(f"One.\n{text}\nTwo.\n").sections[0].plain.whole.runs
    assert all(last <= following for last, following in zip(runs.raw_end[:-1], runs.raw[1:], strict=True))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "seen"), [*HUGO, *LIQUID, *DOCFX, *MDX])
def test_tags_and_directives_are_no_words(text: str, seen: str, end: str) -> None:
    (section,) = read(text.replace("\n", end)).sections
    assert " ".join(section.plain.text.split()) == seen


@pytest.mark.parametrize(("text", "seen"), [*HUGO, *LIQUID, *DOCFX, *MDX])
def test_their_lines_stay_in_chunks(text: str, seen: str) -> None:
    document = read(text)
    assert verify_document(document, document.text.encode()).sound


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("## Fees {#fees}", "Fees"),
        ("## Fees {#fees} ##", "Fees"),
        ("Fees {#fees}\n===", "Fees"),
        ("> Fees {#fees}\n> ===\n", "Fees"),
        ("## Fees {: #fees .wide}", "Fees"),
        ("## Fees \\{#fees}", "Fees {#fees}"),
        ("## Fees `{#fees}`", "Fees {#fees}"),
        ("## {#fees} first", "{#fees} first"),
        ("## PUT /user/{id}", "PUT /user/{id}"),
        ("## Returning {:ok, 1}", "Returning {:ok, 1}"),
        ("## [Fees]({% link f.md %}) {#fees}", "Fees"),
    ],
)
def test_explicit_id_is_no_part_of_a_heading(heading: str, words: str) -> None:
    (section,) = read(f"{heading}\n\nText.\n").sections
    headings = [section.heading, *(block.heading_path[-1] for block in section.blocks if block.heading_path)]
    assert words in headings


@pytest.mark.parametrize(
    "text",
    [
        "{{< ",
        "{% ",
        "[!a ",
        ":::a b=c ",
        "[x]({% ",
        "]({{<",
        "{: a=",
        "[!INCLUDE [",
        "{{<>}} ",
        "![",
        "x {/* ",
        "x <A b={",
    ],
)
def test_endless_openings_are_read_at_once(text: str) -> None:
    section = read(text * 20_000).sections[0]
    assert bool(section.plain.text) == ("{{<>}}" not in text)


SHOWN = "```liquid\n{% highlight sh %}\n# shown\n{% endhighlight %}\n```"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("{% highlight sh %}\n# no heading\n{% endhighlight %}\n\nAfter.", "# no heading After."),
        ('{{< highlight go "hl_lines=8" >}}\n## a\n```\n# b\n{{< /highlight >}}\nAfter.', "## a ``` # b After."),
        ("{%- codeblock lang:sh -%}\r\n# a\r\n{% endcodeblock %}\r\nAfter.", "# a After."),
        ("1. One\n\n   {% highlight sh %}\n   # a\n   {% endhighlight %}\n2. Two", "One # a Two"),
        ('{% highlight sh title="é" %}\nText.\n{% endhighlight %}', "é Text."),
        (SHOWN, "{% highlight sh %} # shown {% endhighlight %}"),
        (
            f"{{% highlight sh %}}\n# a\n{{% endhighlight %}}\n{SHOWN}",
            "# a {% highlight sh %} # shown {% endhighlight %}",
        ),
    ],
)
def test_comments_in_a_tagged_code_sample_are_no_headings(text: str, plain: str) -> None:
    document = read(f"## Head\n\n{text}\n")
    (section,) = document.sections
    assert " ".join(section.plain.text.split()) == plain
    assert verify_document(document, document.text.encode()).sound


def test_a_tag_that_opens_a_code_sample_and_is_never_closed_opens_none() -> None:
    assert [one.heading for one in read("{% highlight sh %}\n\n## A\n\nText.\n").sections] == ["A", "A"]
