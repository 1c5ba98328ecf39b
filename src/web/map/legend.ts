import type { MapLayer } from '../../style/map_layers.ts'
import { element } from '../element.ts'
import { askJson } from '../request.ts'

/** A symbol of a legend, in its size on the map. */
export interface LegendSymbol {
  /** Empty if the style has only one symbol, and for pictures. */
  readonly caption: string
  readonly icon: HTMLElement
}

interface AnswerSymbol {
  readonly render: boolean
  readonly display_name: string
  readonly icon: { readonly format: string; readonly data: string }
}

/** Loads the symbols that a layer is drawn with, in the order of its style. */
export async function loadLegend({ styleId, landform }: MapLayer): Promise<LegendSymbol[]> {
  const side = iconSide(landform.reach)
  const path = `/api/resource/${styleId}/legend_symbols?icon_size=${side}`
  const symbols = (await askJson<AnswerSymbol[]>(path)).filter(({ render }) => render)
  return symbols.map(({ display_name: caption, icon: { format, data } }) => {
    const src = `data:image/${format};base64,${data}`
    const icon = landform.hasLegendPicture
      ? element('img', { class: 'picture', alt: `Legend of ${caption}`, src })
      : element('span', { class: 'swatch' }, element('img', { alt: '', src, width: side, height: side }))
    return { caption: symbols.length === 1 || landform.hasLegendPicture ? '' : caption, icon }
  })
}

/** Returns the side of icons in which the largest marker of a style fits, within the limits of the server. */
function iconSide(reach: number): number {
  return Math.max(20, Math.min(64, 2 * Math.ceil(reach) + 4))
}
