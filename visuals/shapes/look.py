"""The look that the tables of shapes share, and how a place in the source is told."""

from __future__ import annotations

from autograder.probe.recording.source_locations import SourceLocation

from visuals.language import _

# Colours follow JupyterLab's theme and keep a contrast of 4.5 with the page. The class stands twice in
# each rule because JupyterLab's own rules for tables in outputs are as strong as one.
STYLE = """<style>
.shape-tracker { --departs: #A3162B; --shared: #00695C; --quiet: #59616B; --line: #C9CED6;
  color: var(--jp-content-font-color1, #1F2328);
  font: 13px/1.4 var(--jp-content-font-family, sans-serif); }
[data-jp-theme-light="false"] .shape-tracker { --departs: #FF8A95; --shared: #4CCBB0; --quiet: #B5BAC1;
  --line: #4A4F55; }
.shape-tracker .scroll { overflow-x: auto; }
.shape-tracker.shape-tracker table { border-collapse: collapse; margin: 4px 0; font-size: 12.5px;
  table-layout: auto; color: inherit; }
.shape-tracker.shape-tracker caption { text-align: left; padding: 2px 0 6px; caption-side: top;
  color: inherit; }
.shape-tracker.shape-tracker tr, .shape-tracker.shape-tracker tr:hover { background: none; }
.shape-tracker.shape-tracker th, .shape-tracker.shape-tracker td { text-align: left;
  vertical-align: baseline; padding: 1px 12px 1px 0; white-space: nowrap; font-weight: 400; max-width: none;
  border: none; }
.shape-tracker.shape-tracker td.takes, .shape-tracker.shape-tracker td.memory { white-space: normal; }
.shape-tracker.shape-tracker thead th { font-weight: 600; border-bottom: 1px solid var(--line); }
.shape-tracker.shape-tracker tr.line th { padding-top: 7px; border-top: 1px solid var(--line);
  white-space: normal; }
.shape-tracker.shape-tracker tr.line code { font-weight: 600; }
.shape-tracker.shape-tracker code { font-family: var(--jp-code-font-family, monospace); font-size: 12px;
  background: none; color: inherit; padding: 0; }
.shape-tracker .number { display: inline-block; min-width: 20px; color: var(--quiet);
  font-variant-numeric: tabular-nums; }
.shape-tracker .quiet { color: var(--quiet); }
.shape-tracker .shared { color: var(--shared); font-weight: 600; }
.shape-tracker .bad, .shape-tracker.shape-tracker tr.departs th, .shape-tracker.shape-tracker tr.departs td {
  color: var(--departs); font-weight: 600; }
.shape-tracker.shape-tracker p { margin: 4px 0 8px; max-width: 760px; }
.shape-tracker p.departs { border-left: 4px solid var(--departs); padding-left: 10px; }
.shape-tracker p.agrees { border-left: 4px solid var(--shared); padding-left: 10px; }
</style>"""


def framed(markup: str) -> str:
    """Markup with the style that it needs."""
    return f'{STYLE}<div class="shape-tracker">{markup}</div>'


def where(site: SourceLocation, *, capital: bool = False) -> str:
    """Return a place as in 'CausalAttention.forward, line 7'; at the top of a cell or file the line alone."""
    if site.function:
        return _("{function}, line {line}", function=site.function, line=site.line)
    return _("Line {line}", line=site.line) if capital else _("line {line}", line=site.line)
