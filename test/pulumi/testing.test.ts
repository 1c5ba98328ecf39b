import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSecret, RunError, secret } from '@pulumi/pulumi'
import { expect, test } from 'vitest'
import { GeodbConnection, getLayer, ResourceGroup, Tree, VectorLayer } from '../../src/pulumi/index.ts'
import { setLandformMocks } from '../../src/pulumi/testing.ts'

const readOutput = <T>(output: { apply(work: (value: T) => void): unknown }) =>
  new Promise<T>((resolve) => void output.apply(resolve))

const point = { geometry_type: 'POINT', srs: { id: 3857 } } as const

test('resources of a program are checked and completed', async () => {
  const mocks = await setLandformMocks()
  const town = new ResourceGroup('town', { description: 'A town' })
  const trees = new VectorLayer('trees', { parent: town, vector_layer: point })
  expect(await readOutput(trees.parent)).toBe('town')
  expect(await readOutput(trees.resource_id)).toBe(2)
  expect(mocks.resources.map(({ inputs }) => inputs)).toEqual([
    { key: 'town', display_name: 'town', description: 'A town' },
    { key: 'trees', display_name: 'trees', parent: 'town', vector_layer: point },
  ])
})

test.each<[string, object, RegExp]>([
  ['a misspelt property', { descripton: 'x' }, /town\.descripton: .*did you mean "description"/],
  ['an impossible value', { protect: 'maybe' }, /town\.protect: expected/],
  ['a secret that all see', { display_name: secret('hunter2') }, /town\.display_name: is a secret/],
])('%s fails the test', async (_, args, message) => {
  const mocks = await setLandformMocks()
  new ResourceGroup('town', args)
  await expect(mocks.finish()).rejects.toThrow(message)
})

test('differences between two versions of a program are those of a preview', async () => {
  const before = await setLandformMocks()
  await readOutput(new VectorLayer('trees', { vector_layer: point }).key)
  const after = await setLandformMocks()
  await readOutput(new VectorLayer('trees', { vector_layer: { ...point, geometry_type: 'POLYGON' } }).key)
  expect(after.compare(before.resources)).toEqual([
    { resource: 'trees', path: 'vector_layer.geometry_type', kind: 'update', replaces: true },
  ])
})

test('a tree leaves what unmanaged: names, as an apply does, and resets what neither names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-tree-'))
  try {
    const versions = []
    for (const more of [
      { description: 'D', resmeta: { a: 1 } },
      { resmeta: { a: 1 }, unmanaged: ['description', 'children'] },
      { resmeta: { a: 1 } },
    ]) {
      const town = { cls: 'resource_group', display_name: 'Town', ...more }
      const resources = { root: { existing: true, id: 0 }, town: { ...town, parent: 'root' } }
      await writeFile(join(folder, 'm.yaml'), JSON.stringify({ manifest: 'm', resources }))
      const mocks = await setLandformMocks()
      await readOutput(new Tree('tree', { manifests: ['m.yaml'], folder }).ids)
      versions.push(mocks)
    }
    const [described, left, reset] = versions
    expect(left?.resources.find(({ name }) => name === 'town')?.inputs).toMatchObject({
      unmanaged: ['description'],
    })
    expect(left?.compare(described?.resources ?? []).map(({ path }) => path)).toEqual(['unmanaged'])
    expect(reset?.compare(left?.resources ?? []).map(({ path }) => path)).toEqual(['unmanaged'])
    expect(reset?.compare(described?.resources ?? []).map(({ path }) => path)).toEqual(['description'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('secrets of the contract are secret outputs, although the program passes them in clear', async () => {
  await setLandformMocks()
  const geodb_connection = { hostname: 'db', database: 'gis', username: 'reader', password: 'hunter2' }
  const { geodb_connection: member } = new GeodbConnection('db', { geodb_connection })
  expect(await isSecret(member)).toBe(true)
})

test('a look-up that fails ends the program with its message, without a stack', async () => {
  await setLandformMocks({
    call: () => {
      throw new Error('there is none')
    },
  })
  const error = await getLayer({ name: 'roads' }).catch((failure: unknown) => failure)
  expect(RunError.isInstance(error)).toBe(true)
})
