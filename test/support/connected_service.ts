import type { TestServer } from './server.ts'
import { createResource } from './tree.ts'

/** Layers of the service; `islands` crosses the antimeridian, `rails` has no box. */
const layers = [
  { id: 'roads', title: 'Roads', index: 0, bbox: [5, 47, 15, 57] },
  { id: 'islands', title: 'Islands', index: 1, bbox: [175, -20, -175, -10] },
  { id: 'rails', title: 'Rails', index: 2 },
]

/**
 * Creates a connection to an external web map service whose capabilities were fetched before, and returns the function that creates
 * a layer of some of `roads`, `islands` and `rails`.
 */
export async function connectService(
  { admin, database }: Pick<TestServer, 'admin' | 'database'>,
  parent: number,
): Promise<(wmslayers: string) => Promise<number>> {
  const connection = await createResource(admin, {
    cls: 'wmsclient_connection',
    ...{ parent, name: 'Service' },
    members: { wmsclient_connection: { url: 'https://maps.example.org/wms', version: '1.3.0' } },
  })
  await database.query(
    'update wmsclient_connection set capcache = $2::text::json where resource_id = $1::int',
    [connection, JSON.stringify({ formats: ['image/png'], layers })],
  )
  return (wmslayers) =>
    createResource(admin, {
      ...{ cls: 'wmsclient_layer', parent, name: wmslayers },
      members: {
        wmsclient_layer: {
          connection: { id: connection },
          wmslayers,
          imgformat: 'image/png',
          srs: { id: 3857 },
        },
      },
    })
}
