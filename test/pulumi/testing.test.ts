import { isSecret, RunError, secret } from '@pulumi/pulumi'
import { expect, test } from 'vitest'
import { GeodbConnection, getLayer, ResourceGroup, VectorLayer } from '../../src/pulumi/index.ts'
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
