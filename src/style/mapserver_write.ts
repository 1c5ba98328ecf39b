import { type Color, channelsOf } from './color.ts'
import { formatExpression } from './mapserver_expression.ts'
import { defaultSymbolizer, type Rule, type Style, type Symbolizer } from './page_style.ts'
import { escapeXml } from './xml_escape.ts'

/** Writes a style as MapServer XML that `readMapserverXml` reads back as an equal style. */
export function writeMapserverXml(style: Style): string {
  return `${block('map', [block('layer', style.rules.map(writeRule))])}\n`
}

function writeRule(rule: Rule): string {
  return block('class', [
    ...element('name', rule.label),
    ...element('expression', rule.filter && formatExpression(rule.filter)),
    ...element('minscaledenom', rule.minScaleDenom),
    ...element('maxscaledenom', rule.maxScaleDenom),
    ...rule.symbolizers.map(writeSymbolizer),
  ])
}

function writeSymbolizer(symbolizer: Symbolizer): string {
  const { fill, outline, width, casing, size, marker, angle, opacity, dash } = symbolizer
  const defaults = defaultSymbolizer
  return block('style', [
    ...color('color', fill),
    ...color('outlinecolor', outline),
    ...element('width', unlessDefault(width, defaults.width)),
    ...element('outlinewidth', unlessDefault(casing, defaults.casing)),
    ...element('symbol', marker === defaults.marker ? undefined : `std:${marker}`),
    ...element('size', unlessDefault(size, defaults.size)),
    ...element('angle', unlessDefault(angle, defaults.angle)),
    ...element('opacity', unlessDefault(opacity * 100, 100)),
    ...element('pattern', dash.length === 0 ? undefined : dash.join(' ')),
  ])
}

function block(name: string, parts: readonly string[]): string {
  if (parts.length === 0) return `<${name}/>`
  const inner = parts.flatMap((part) => part.split('\n')).map((line) => `  ${line}\n`)
  return `<${name}>\n${inner.join('')}</${name}>`
}

function element(name: string, value: string | number | undefined): string[] {
  if (value === undefined) return []
  return [`<${name}>${escapeXml(String(value))}</${name}>`]
}

function color(name: string, value: Color | undefined): string[] {
  if (value === undefined) return []
  const [red, green, blue] = channelsOf(value)
  return [`<${name} red="${red}" green="${green}" blue="${blue}"/>`]
}

const unlessDefault = (value: number, byDefault: number) => (value === byDefault ? undefined : value)
