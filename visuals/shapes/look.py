"""The look that the tables of shapes share, and how a place in the source is told."""

from __future__ import annotations

from visuals.shapes.source import Site

# Colours follow JupyterLab's theme and keep a contrast of 4.5 with the page in both.
STYLE = """<style>
.shape-tracker { --departs: #A3162B; --shared: #00695C; --quiet: #59616B; --line: #C9CED6;
  color: var(--jp-content-font-color1, #1F2328); font: 13px/1.45 var(--jp-content-font-family, sans-serif); }
[data-jp-theme-light="false"] .shape-tracker { --departs: #FF8A95; --shared: #4CCBB0; --quiet: #B5BAC1;
  --line: #4A4F55; }
.shape-tracker .scroll { overflow-x: auto; }
.shape-tracker table { border-collapse: collapse; margin: 4px 0; font-size: 13px; }
.shape-tracker caption { text-align: left; padding: 2px 0 6px; caption-side: top;
  color: var(--jp-content-font-color1, #1F2328); }
.shape-tracker th, .shape-tracker td { text-align: left; vertical-align: baseline; padding: 2px 14px 2px 0;
  white-space: nowrap; font-weight: 400; background: none; }
.shape-tracker td.takes { white-space: normal; min-width: 150px; }
.shape-tracker thead th { font-weight: 600; border-bottom: 1px solid var(--line); }
.shape-tracker tbody tr.line th { padding-top: 8px; border-top: 1px solid var(--line); white-space: normal; }
.shape-tracker tbody tr.line code { font-weight: 600; }
.shape-tracker code { font-family: var(--jp-code-font-family, monospace); font-size: 12.5px;
  background: none; color: inherit; padding: 0; }
.shape-tracker .number { display: inline-block; min-width: 20px; color: var(--quiet);
  font-variant-numeric: tabular-nums; }
.shape-tracker .quiet { color: var(--quiet); }
.shape-tracker .shared { color: var(--shared); font-weight: 600; }
.shape-tracker .bad, .shape-tracker tr.departs th, .shape-tracker tr.departs td { color: var(--departs);
  font-weight: 600; }
.shape-tracker p { margin: 4px 0 8px; max-width: 760px; }
.shape-tracker p.departs { border-left: 4px solid var(--departs); padding-left: 10px; }
.shape-tracker p.agrees { border-left: 4px solid var(--shared); padding-left: 10px; }
</style>"""


def framed(markup: str) -> str:
    """Markup with the style that it needs."""
    return f'{STYLE}<div class="shape-tracker">{markup}</div>'


def where(site: Site, *, capital: bool = False) -> str:
    """A place as in 'CausalAttention.forward, line 7'; at the top of a cell or file the line alone."""
    if site.function:
        return f"{site.function}, line {site.line}"
    return f"{'Line' if capital else 'line'} {site.line}"
