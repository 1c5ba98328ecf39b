import { type Cls, clsNames } from '../../src/contract/registry.ts'
import { type Family, findOrCreate } from './class_samples.ts'
import type { ForeignDatabase } from './geodb.ts'
import { createStyledLayer } from './samples.ts'
import type { Ask } from './server.ts'

/** Creates one resource of each class below a group, and returns their ids. */
export async function createEachClass(ask: Ask, foreign: ForeignDatabase): Promise<ReadonlyMap<Cls, number>> {
  const { group, layer, style } = await createStyledLayer(ask)
  await foreign.execute(
    'create table if not exists each_class (id serial primary key, geom geometry(Point, 3857))',
  )
  const family: Family = {
    ask,
    ids: new Map([
      ['resource_group', group],
      ['vector_layer', layer],
      ['mapsrv_style', style],
    ]),
    outside: {
      geodb_connection: foreign.connection,
      geodb_layer: { schema: 'public', table: 'each_class', column_id: 'id', column_geom: 'geom' },
    },
  }
  for (const cls of clsNames) await findOrCreate(family, cls)
  return family.ids
}
