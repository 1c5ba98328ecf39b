import { type Color, channelsOf } from './color.ts'
import { formatExpression } from './expression.ts'
import { plainSymbolizer, type Rule, type Style, type Symbolizer } from './style.ts'
import { escapeXml } from './xml_text.ts'

/** Writes a style as map server XML that `readMapserverXml` reads back as the same style. */
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
  const plain = plainSymbolizer
  return block('style', [
    ...color('color', fill),
    ...color('outlinecolor', outline),
    ...element('width', unless(width, plain.width)),
    ...element('outlinewidth', unless(casing, plain.casing)),
    ...element('symbol', marker === plain.marker ? undefined : `std:${marker}`),
    ...element('size', unless(size, plain.size)),
    ...element('angle', unless(angle, plain.angle)),
    ...element('opacity', unless(opacity * 100, 100)),
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

const unless = (value: number, usual: number) => (value === usual ? undefined : value)
