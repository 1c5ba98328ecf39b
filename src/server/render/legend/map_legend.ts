import type { WebmapConfig } from '../../../contract/bodies/webmap_config.ts'
import { isProblem } from '../../../core/problem.ts'
import { stackLegends } from '../../../render/legend/stack_legends.ts'
import { listLayers } from '../../../style/map_layers.ts'
import type { ServerContext } from '../../context.ts'
import { drawLegend, type IconOptions, type LegendSymbol, listLegendSymbols, openLegends } from './legend.ts'
import type { Legend } from './legend_content.ts'

/**
 * Opens the legends of the layers of a web map, from top to bottom, with the names that they have in the map. The
 * configuration has the layers that the caller may read.
 */
export async function openMapLegends(
  context: ServerContext,
  { rootItem }: Pick<WebmapConfig, 'rootItem'>,
): Promise<Legend[]> {
  const layers = listLayers(rootItem.children)
  const styleIds = [...new Set(layers.map(({ styleId }) => styleId))]
  const legends = await openLegends(context, styleIds)
  return layers.flatMap(({ styleId, label }) => {
    const legend = legends.get(styleId)
    return legend === undefined ? [] : [{ ...legend, title: label, key: [...legend.key, label] }]
  })
}

/**
 * Draws legends below each other. Of those that another service does not return, the title says so.
 *
 * @throws {Problem} render/*
 */
export async function drawLegends(
  context: ServerContext,
  legends: readonly Legend[],
  { scale, signal }: Omit<IconOptions, 'iconSize'>,
): Promise<Uint8Array> {
  const draw = (legend: Legend) => drawLegend(context, legend, { form: { kind: 'image', scale }, signal })
  const drawn = await Promise.all(
    legends.map((legend) =>
      draw(legend).catch((error: unknown) => {
        if (!isOfService(error)) throw error
        return draw(withoutPictures(legend))
      }),
    ),
  )
  return stackLegends(drawn.map(({ bytes }) => bytes))
}

const isOfService = (error: unknown) => isProblem(error) && error.code.startsWith('external/')

function withoutPictures({ title, family, opacity, key }: Legend): Legend {
  return { title: `${title}: legend not available`, family, opacity, entries: [], key: [...key, 'absent'] }
}

/** Lists the symbols of legends, counted through, with the names of their layers. Legends that are not available are left out. */
export async function listMapSymbols(
  context: ServerContext,
  legends: readonly Legend[],
  options: IconOptions,
): Promise<LegendSymbol[]> {
  const lists = await Promise.all(
    legends.map(async (legend) => {
      const symbols = await listLegendSymbols(context, legend, options).catch((error: unknown) => {
        if (!isOfService(error)) throw error
        return []
      })
      return symbols.map((symbol) => ({ ...symbol, display_name: nameOf(symbol, legend.title) }))
    }),
  )
  return lists.flat().map((symbol, index) => ({ ...symbol, index }))
}

const nameOf = ({ display_name: name }: LegendSymbol, title: string) =>
  name === title || name === '' ? title : `${title}: ${name}`
