import { type Color, channelsOf } from '../../../style/color.ts'
import { type LegendEntry, legendEntries } from '../../../style/legend_entries.ts'
import { defaultSymbolizer } from '../../../style/mapserver/mapserver_model.ts'
import { styleOfMapserver } from '../../../style/mapserver/mapserver_style.ts'

/** Colour of the frame of areas, which shows those in the colour of the background. */
const frameColor: Color = '#a0a0a0'

/** Returns entries of a legend that are framed areas of one colour each, drawn with family `POLYGON`. Transparent colours have none. */
export function rampEntries(
  colors: readonly { readonly label: string; readonly color: Color }[],
): LegendEntry[] {
  const rules = colors.map(({ label, color }) => ({
    label,
    symbolizers:
      channelsOf(color)[3] === 0 ? [] : [{ ...defaultSymbolizer, fill: color, outline: frameColor }],
  }))
  return legendEntries(styleOfMapserver({ rules }, 'POLYGON'))
}
