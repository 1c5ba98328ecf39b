import type { Length, Stroke, TextMarker } from '../symbol_layer.ts'
import { reportPart } from './qml_element.ts'
import { colorOption, lengthOption, type QmlOptions, textOption } from './qml_options.ts'
import { outlineStroke } from './qml_stroke.ts'
import { definedOf, factorOf, markerProperties, passOf, placementOf, sizedBy } from './qml_symbol_layer.ts'

/** Fonts whose letters are drawn as other symbols. */
const symbolFonts = /dings|symbol|icon|awesome|esri|emoji|weather|marlett|\bmap/i

/** Reads a marker of letters. */
export function readFontMarker(options: QmlOptions): TextMarker {
  const family = textOption(options, 'font') ?? 'Dingbats'
  if (symbolFonts.test(family))
    reportPart(
      options.reading,
      options.values.get('font')?.element ?? options.layer,
      `the font "${family}" of FontMarker is drawn as DejaVu Sans`,
    )
  const style = textOption(options, 'font_style') ?? ''
  const stroke = strokeOf(options)
  return {
    kind: 'text',
    ...passOf(options),
    text: textOption(options, 'chr') ?? 'A',
    font: {
      family,
      weight: /bold|black|heavy/i.test(style) ? 700 : 400,
      isItalic: /italic|oblique/i.test(style),
    },
    fill: colorOption(options, ['color'], '#ff0000'),
    ...(stroke === undefined ? {} : { stroke }),
    ...placementOf(options, 12),
    ...sizedBy(
      options,
      definedOf(options, {
        properties: {
          ...markerProperties,
          char: 'text',
          outlineColor: 'stroke.color',
          outlineWidth: 'stroke.width',
        },
        factors: {
          size: factorOf(options, 'size_unit'),
          'stroke.width': factorOf(options, 'outline_width_unit'),
        },
      }),
    ),
  }
}

/** Unlike that of other markers, an outline without a width is not drawn. */
function strokeOf(options: QmlOptions): Stroke | undefined {
  const width: Length = lengthOption(options, { name: 'outline_width', byDefault: 0 })
  return width === 0 ? undefined : outlineStroke(options, 0)
}
