import { isDeepStrictEqual } from 'node:util'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import type { TrackedLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import { remembered } from '../hot/hot_reads.ts'
import type { AnswerAgain } from '../http/handler.ts'
import { type LabelTables, rememberedLabelTables } from '../map/label_tables.ts'
import { renderedLayerId } from '../map/layer_style.ts'
import { isRemembered } from '../resource/require_permission.ts'
import { answerDrawn, answerUnchanged, type RenderOptions } from './answer_image.ts'
import { type OpenedImage, openImage } from './opened_image.ts'
import { featureSources, openFeatures } from './sources/feature_source.ts'

/**
 * Answers further requests for an image of styles and layers with features. The permission of the caller, and the versions of
 * the styles and layers, are looked up for each of them.
 */
export function answerImageAgain(
  context: ServerContext,
  ids: readonly number[],
  options: RenderOptions,
): AnswerAgain {
  let last: { inputs: Inputs; image: OpenedImage } | undefined
  const open = (inputs: Inputs) => {
    // What did not change are the same objects.
    const isSame =
      last?.inputs.sources === inputs.sources &&
      last.inputs.layers === inputs.layers &&
      isDeepStrictEqual(last.inputs.tables, inputs.tables)
    if (last === undefined || !isSame) last = { inputs, image: openInputs(context, inputs, { ids, options }) }
    return last.image
  }
  return ({ caller, headers }) => {
    if (!isRemembered(context, caller, { ids, permission: 'data.read' })) return undefined
    const inputs = findInputs(context, ids, caller)
    const image = inputs && open(inputs)
    if (image?.identity === undefined) return undefined
    const drawn = context.layerCaches.images.find(image.identity)
    return answerUnchanged(image, headers) ?? (drawn && answerDrawn(drawn, headers, options))
  }
}

/** What an image depends on besides its frame and the data of its layers. */
interface Inputs {
  readonly sources: ReadonlyMap<number, RenderSource>
  readonly layers: ReadonlyMap<number, TrackedLayer>
  readonly tables: LabelTables
}

/** Returns the inputs of an image; undefined if they have to be read, or others are among them. */
function findInputs(
  context: ServerContext,
  ids: readonly number[],
  caller: PermissionSubject,
): Inputs | undefined {
  const sources = remembered.sources(context, ids)
  const found = ids.flatMap((id) => sources?.get(id) ?? [])
  if (sources === undefined || found.length < ids.length || !found.every(isSteady)) return undefined
  const layerIds = found.map(renderedLayerId)
  const layers = remembered.layers(context, layerIds)
  if (layers === undefined || !layerIds.every((id) => layers.has(id))) return undefined
  const tables = rememberedLabelTables(context, caller, layers.values())
  return tables && { sources, layers, tables }
}

/** Tells whether a resource is drawn of features, without a time to live. */
function isSteady({ cls, keptTiles }: RenderSource): boolean {
  return featureSources.classes.includes(cls) && (keptTiles?.ttl ?? null) === null
}

function openInputs(
  context: ServerContext,
  { sources: found, layers, tables }: Inputs,
  { ids, options }: { readonly ids: readonly number[]; readonly options: RenderOptions },
): OpenedImage {
  const sources = ids.flatMap((id) => {
    const one = found.get(id)
    return one === undefined
      ? []
      : [{ ...openFeatures(context, one, { layers, tables }), keptTiles: one.keptTiles }]
  })
  return openImage(context, { ids, sources }, options)
}
