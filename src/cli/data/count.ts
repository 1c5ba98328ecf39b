import type { Api } from '../../api/api.ts'
import { resolveFeatureLayer } from '../../api/resolve_resource.ts'
import { splitArray } from '../../pipeline/splitter.ts'
import type { CommandSpec } from '../command.ts'
import { eventOptions } from '../options.ts'
import { withServer } from '../principals.ts'
import { writeEvent } from '../print/events.ts'
import { writeLine } from '../terminal.ts'
import { type Filter, filterOptions, readFilter } from './filter.ts'
import { layerFacts } from './layer.ts'

/** The command `data count`. */
export const countCommand: CommandSpec = {
  name: 'count',
  summary: 'count the features of a layer, or those that match filters',
  examples: [
    'landform data count cities',
    'landform data count cities --filter population__ge=1000000 --filter country=NO',
    'landform data count City/Roads --bbox 10,59,11,60',
  ],
  declare: (command) =>
    eventOptions(
      filterOptions(command.argument('<layer>', 'keyname, id, or path of names such as City/Roads')),
    ),
  run: ({ arguments: [name], options }, terminal) =>
    withServer(options, terminal, async (api) => {
      const layer = await resolveFeatureLayer(api, String(name), terminal.interrupt)
      const count = await countFiltered(api, layer.resource.id ?? 0, {
        ...readFilter(options),
        signal: terminal.interrupt,
      })
      if (options.json) writeEvent(terminal.out, 'count', { layer: layerFacts(layer), count })
      else writeLine(terminal.out, String(count))
    }),
}

/** Counts the matching features; lists them without content if the server does not support counting with filters. */
async function countFiltered(
  api: Api,
  id: number,
  { query, more, signal }: Filter & { readonly signal: AbortSignal },
): Promise<number> {
  const params = { id }
  const counted = await api.call('feature.count', { params, query, more, signal })
  if (more.length === 0 && query.intersects === undefined) return counted.total_count
  if (counted.filtered_count !== undefined) return counted.filtered_count
  const nothing = { geom: false, fields: [], extensions: [] }
  const answer = await api.open('feature.list', { params, query: { ...query, ...nothing }, more, signal })
  let count = 0
  for await (const _ of splitArray(answer.body)) count += 1
  return count
}
