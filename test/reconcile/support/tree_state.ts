import type { TestServer } from '../../support/server.ts'

type Wire = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Reads what all resources of a server are, by id: without versions and dates, which tell when they became so, and
 * without ids of fields, which are found by keyname.
 */
export async function readState({ admin }: Pick<TestServer, 'admin'>): Promise<Map<number, object>> {
  const found = await (await admin('GET', '/api/resource/search/?serialization=full')).json<Wire[]>()
  const states = found.map(({ resource = {}, ...members }): [number, object] => {
    const { version: _, creation_date: _created, ...rest } = resource
    const text = JSON.stringify({ ...rest, ...members })
      .replaceAll(/"(data|extensions)_version":\d+/g, '"$1_version":0')
      .replaceAll(/"id":\d+,"keyname"/g, '"id":0,"keyname"')
      .replaceAll(/"landform\.source":"sha256-(\w+)@\d+/g, '"landform.source":"$1')
    return [Number(resource.id), JSON.parse(text) as object]
  })
  return new Map(states.sort(([one], [other]) => one - other))
}
