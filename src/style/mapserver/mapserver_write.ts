import { type Color, channelsOf } from '../color.ts'
import { escapeXml } from '../xml/xml_escape.ts'
import { formatMapserverExpression } from './mapserver_expression.ts'
import {
  defaultLabel,
  defaultSymbolizer,
  type MapserverClass,
  type MapserverLabel,
  type MapserverStyle,
  type Symbolizer,
  type VectorShape,
} from './mapserver_model.ts'
import { formatShapeParts } from './mapserver_shape.ts'
import { symbolNameOf } from './mapserver_symbol.ts'

/** Writes a style as MapServer XML that `readMapserverXml` reads back as an equal style. */
export function writeMapserverXml(style: MapserverStyle): string {
  const layer = block('layer', [...writeCluster(style), ...style.rules.map(writeClass)])
  return `${block('map', [layer, ...listShapes(style).map(writeShape)])}\n`
}

function listShapes({ rules }: MapserverStyle): VectorShape[] {
  const shapes = rules.flatMap(({ symbolizers }) => symbolizers.flatMap(({ shape }) => shape ?? []))
  return [...new Map(shapes.map((shape) => [shape.name, shape])).values()]
}

function writeShape({ name, parts, isFilled }: VectorShape): string {
  return block('symbol', [
    ...element('name', name),
    ...element('type', 'vector'),
    ...element('points', formatShapeParts(parts)),
    ...element('filled', isFilled ? 'true' : undefined),
  ])
}

function writeCluster({ clusterDistance }: MapserverStyle): string[] {
  return clusterDistance === undefined ? [] : [block('cluster', element('maxdistance', clusterDistance))]
}

function writeClass(rule: MapserverClass): string {
  return block('class', [
    ...element('name', rule.label),
    ...element('expression', rule.filter && formatMapserverExpression(rule.filter)),
    ...element('minscaledenom', rule.minScaleDenom),
    ...element('maxscaledenom', rule.maxScaleDenom),
    ...element('status', rule.isOff && 'off'),
    ...rule.symbolizers.map(writeSymbolizer),
    ...(rule.labels ?? []).map(writeLabel),
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
    ...element(
      'symbol',
      symbolizer.shape?.name ??
        (marker === defaults.marker && !symbolizer.hasSymbol ? undefined : symbolNameOf(marker)),
    ),
    ...element('size', unlessDefault(size, defaults.size)),
    ...element('angle', unlessDefault(angle, defaults.angle)),
    ...element('opacity', unlessDefault(opacity * 100, 100)),
    ...element('pattern', dash.length === 0 ? undefined : dash.join(' ')),
    ...point('offset', symbolizer.offset),
    ...element('gap', symbolizer.gap),
    ...element('initialgap', symbolizer.initialGap),
    ...element('linejoin', symbolizer.join),
    ...element('linecap', symbolizer.cap),
  ])
}

function writeLabel(label: MapserverLabel): string {
  const { text, outline, outlineWidth, position, angle, priority, isForced } = label
  const defaults = defaultLabel
  return block('label', [
    ...element('text', text),
    ...element('size', unlessDefault(label.size, defaults.size)),
    ...color('color', label.color),
    ...color('outlinecolor', outline),
    ...element('outlinewidth', unlessDefault(outlineWidth, defaults.outlineWidth)),
    ...element('font', label.font),
    ...element('position', position === defaults.position ? undefined : position),
    ...element('angle', angle === defaults.angle ? undefined : angle),
    ...point('offset', label.offset),
    ...element('priority', unlessDefault(priority, defaults.priority)),
    ...element('force', isForced ? 'true' : undefined),
    ...element('wrap', label.wrap),
    ...element('align', label.align),
    ...element('maxlength', label.maxLength),
    ...element('repeatdistance', label.repeatDistance),
    ...element('minscaledenom', label.minScaleDenom),
    ...element('maxscaledenom', label.maxScaleDenom),
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

function point(name: string, value: readonly [number, number] | undefined): string[] {
  return value === undefined ? [] : [`<${name} x="${value[0]}" y="${value[1]}"/>`]
}

const unlessDefault = (value: number, byDefault: number) => (value === byDefault ? undefined : value)
