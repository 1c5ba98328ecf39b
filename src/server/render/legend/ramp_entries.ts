import type { Color } from '../../../style/color.ts'
import { type LegendEntry, legendEntries } from '../../../style/legend_entries.ts'
import { defaultSymbolizer } from '../../../style/mapserver/mapserver_model.ts'
import { styleOfMapserver } from '../../../style/mapserver/mapserver_style.ts'

/** Returns entries of a legend that are areas of one colour each, drawn with family `POLYGON`. */
export function rampEntries(
  colors: readonly { readonly label: string; readonly color: Color }[],
): LegendEntry[] {
  const rules = colors.map(({ label, color }) => ({
    label,
    symbolizers: [{ ...defaultSymbolizer, fill: color }],
  }))
  return legendEntries(styleOfMapserver({ rules }, 'POLYGON'))
}
