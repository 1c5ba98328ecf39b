import { hasPermission } from '../../access/permission_mask.ts'
import { findRenderSources } from '../../store/classes/render_source.ts'
import type { IdentifyQuery } from '../../store/feature/identify_features.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { findImportantField } from '../../style/importance.ts'
import type { ApiRequest } from '../http/handler.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { findStyle, importanceOf } from '../render/sources/feature_source.ts'
import { limitToScale } from '../render/sources/scale_filter.ts'

/** Which features of a layer are found, and which first. */
export type SeenFeatures = Pick<IdentifyQuery, 'where' | 'first'>

/**
 * Returns what the styles of a request show of their layers at its scale, by the id of the layer. Styles that the caller may
 * not read, and layers with several styles, are left out.
 */
export async function findSeenFeatures(
  { context, caller, body }: ApiRequest<'feature.identify'>,
  layers: ReadonlyMap<number, Layer>,
): Promise<Map<number, SeenFeatures>> {
  const { styles = [], scale_denom: scaleDenom } = body
  if (styles.length === 0 || scaleDenom === undefined) return new Map()
  const masks = await context.permissions.findMasks(caller, styles)
  const readable = styles.filter((id) => hasPermission(masks.get(id) ?? 0, 'data.read'))
  const sources = [...(await findRenderSources(context.database, readable)).values()]
  const byLayer = Map.groupBy(sources, renderedLayerId)
  const found = [...byLayer].map(async ([id, [resource, ...others]]) => {
    const layer = layers.get(id)
    if (resource === undefined || layer === undefined || others.length > 0) return []
    const style = await findStyle(context, { resource, layer })
    const { filter: where } = limitToScale({ ...layer, filter: undefined }, style, scaleDenom)
    const first = importanceOf(layer, findImportantField(style))
    return [[id, { ...(where ? { where } : {}), ...(first ? { first } : {}) }] as const]
  })
  return new Map((await Promise.all(found)).flat())
}
