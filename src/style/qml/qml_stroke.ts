import type { Length, LineCap, LineJoin, Stroke } from '../symbol_layer.ts'
import { entryOf, readFinite } from './qml_element.ts'
import { colorOption, lengthIn, lengthOption, type QmlOptions, textOption } from './qml_options.ts'

/** Dash and gap lengths of the pen styles of Qt, in multiples of the line width. */
const dashPatterns: Readonly<Record<string, readonly number[]>> = {
  dash: [4, 2],
  dot: [1, 2],
  'dash dot': [4, 2, 1, 2],
  'dash dot dot': [4, 2, 1, 2, 1, 2],
}

/** Stroke of a line; undefined for the pen style `no`. */
export function lineStroke(options: QmlOptions): Stroke | undefined {
  const style = textOption(options, 'line_style', 'outline_style', 'penstyle')
  if (style === 'no') return undefined
  const width = lengthOption(options, {
    name: 'line_width',
    scale: 'width_map_unit_scale',
    older: ['outline_width', 'width'],
    byDefault: 0.26,
  })
  const isCustom = textOption(options, 'use_custom_dash') === '1'
  return {
    color: colorOption(options, ['line_color', 'outline_color', 'color'], '#232323'),
    width,
    ...(isCustom ? customDash(options) : styleDash(style)),
    dashOffset: lengthOption(options, { name: 'dash_pattern_offset', byDefault: 0 }),
    join: joinOf(textOption(options, 'joinstyle')),
    cap: capOf(textOption(options, 'capstyle')),
  }
}

/** Outline of a polygon or marker; undefined for the pen style `no`. The default width is in millimetres. */
export function outlineStroke(options: QmlOptions, defaultWidth: number): Stroke | undefined {
  const style = textOption(options, 'outline_style', 'line_style', 'style_border')
  if (style === 'no') return undefined
  return {
    color: colorOption(options, ['outline_color', 'line_color', 'color_border'], '#232323'),
    width: lengthOption(options, {
      name: 'outline_width',
      scale:
        textOption(options, 'border_width_map_unit_scale') === undefined
          ? 'outline_width_map_unit_scale'
          : 'border_width_map_unit_scale',
      older: ['line_width', 'width_border'],
      byDefault: defaultWidth,
    }),
    ...styleDash(style),
    dashOffset: 0,
    join: joinOf(textOption(options, 'joinstyle')),
    cap: capOf(textOption(options, 'cap_style')),
  }
}

type Dash = Pick<Stroke, 'dash' | 'isDashRelative'>

function styleDash(style: string | undefined): Dash {
  const dash = entryOf(dashPatterns, style) ?? []
  return { dash, isDashRelative: dash.length > 0 }
}

/** Reads dash and gap lengths such as `5;2`; a line without valid lengths is solid. */
function customDash(options: QmlOptions): Dash {
  const unit = textOption(options, 'customdash_unit')
  const scale = textOption(options, 'customdash_map_unit_scale')
  const at = options.values.get('customdash')?.element ?? options.layer
  const lengths = (textOption(options, 'customdash') ?? '5;2')
    .split(';')
    .map((text) => readFinite(options.reading, { at, name: `customdash of ${options.cls}`, text }))
  const dash = lengths.flatMap((value): Length[] =>
    value === undefined || value < 0 ? [] : [lengthIn({ value, unit, scale })],
  )
  const isValid =
    dash.length === lengths.length && dash.length % 2 === 0 && lengths.some((value) => (value ?? 0) > 0)
  return { dash: isValid ? dash : [], isDashRelative: false }
}

function joinOf(style: string | undefined): LineJoin {
  return style === 'round' || style === 'miter' ? style : 'bevel'
}

function capOf(style: string | undefined): LineCap {
  return style === 'round' || style === 'flat' ? style : 'square'
}
