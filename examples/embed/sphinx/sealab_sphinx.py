"""A Sphinx directive for sealab embeds: ``.. sealab:: TITLE``, the scenario as its content."""

from html import escape

from docutils import nodes
from docutils.parsers.rst import Directive, directives

ATTRIBUTES = ("src", "view", "step", "variants", "theme", "height", "loading", "controls")


class Sealab(Directive):
    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged_required for name in ATTRIBUTES}

    def run(self):
        text = "\n".join(self.content)
        title = self.arguments[0] if self.arguments else "sealab"
        given = {name: self.options[name] for name in ATTRIBUTES if name in self.options}
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
        markup = (
            f'<sealab-play title="{escape(title)}"{attributes}>'
            f'<pre tabindex="0">{escape(text)}</pre></sealab-play>'
        )
        # Other builders (LaTeX, text, EPUB readers without scripts) show the scenario.
        shown = nodes.literal_block(text, text, language="none")
        only_html = nodes.raw("", markup, format="html")
        block = nodes.container("", shown, classes=["sealab-text"])
        return [only_html] if self.state.document.settings.env.app.builder.format == "html" else [block]


def setup(app):
    app.add_config_value("sealab_base", "https://sealab.example/", "html")
    app.add_directive("sealab", Sealab)
    app.connect(
        "builder-inited",
        lambda app: app.add_js_file(
            app.config.sealab_base.rstrip("/") + "/embed/v1.js", loading_method="defer"
        ),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
