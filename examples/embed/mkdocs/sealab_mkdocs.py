"""A fence for MkDocs (pymdownx.superfences): a block named ``sealab`` becomes an embed."""

from html import escape

ATTRIBUTES = {"title", "view", "step", "variants", "theme", "height", "loading", "controls"}


def validate(language, inputs, options, attrs, md):
    """Takes the embed's attributes; anything else is left to the fence's usual rules."""
    for name, value in inputs.items():
        if name not in ATTRIBUTES or value is True:
            return False
        options[name] = value
    return True


def fence(source, language, css_class, options, md, **kwargs):
    given = {"title": "sealab", **options}
    attributes = "".join(f' {name}="{escape(str(value))}"' for name, value in given.items())
    return f'<sealab-play{attributes}><pre tabindex="0">{escape(source)}</pre></sealab-play>'
