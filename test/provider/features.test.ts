import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  check,
  configure,
  create,
  diff,
  type Engine,
  read,
  remove,
  startConfigured,
  update,
  urnOf,
  type Wire,
} from '../support/pulumi_engine.ts'
import { assetOf, treesOf } from '../support/pulumi_trees.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

/** A feature as the server lists it. */
interface Found {
  readonly id: number
  readonly extensions: {
    readonly description: string | null
    readonly attachment: readonly { readonly name: string }[] | null
  }
}

const urn = urnOf('VectorLayer', 'benches')
const allowances = { allow_delete: '["benches"]' }
const { data = null } = treesOf([1, 2])
const note = { path: assetOf('By the pond'), name: 'note.txt', description: 'Note' }
const attachments = { 1: ['photos/*.txt', note], 2: ['photos/a.txt'] }

function benches(descriptions: Wire, files: Wire): Wire {
  return { data, features: { key: 'n', descriptions, attachments: files } }
}

describeServer('features in the Pulumi provider', (start) => {
  let server: TestServer
  let folder: string
  let engine: Engine
  beforeAll(async () => {
    server = await start()
    folder = await mkdtemp(join(tmpdir(), 'landform-benches-'))
    await mkdir(join(folder, 'photos'))
    for (const name of ['a', 'b']) await writeFile(join(folder, `photos/${name}.txt`), name)
    engine = await startConfigured(server.url, allowances, folder)
  })
  afterAll(async () => {
    await engine.stop()
    expect(engine.errors).toEqual([])
    await rm(folder, { recursive: true })
  })

  async function list(id: string): Promise<Found[]> {
    const address = `/api/resource/${id}/feature/?extensions=description,attachment`
    return (await server.admin('GET', address)).json<Found[]>()
  }

  test('writes descriptions and attachments, and sees changed, removed and foreign ones', async () => {
    const { inputs, failures } = await check(engine, urn, benches({ 1: 'Old' }, attachments))
    expect(failures).toEqual([])
    const { id } = await create(engine, urn, inputs)
    const written = (await list(id)).map(({ extensions: { description, attachment } }) => [
      description,
      (attachment ?? []).map(({ name }) => name).sort(),
    ])
    expect(written).toEqual([
      ['Old', ['a.txt', 'b.txt', 'note.txt']],
      [null, ['a.txt']],
    ])
    expect((await read(engine, urn, { id, inputs })).inputs).toEqual(inputs)

    await writeFile(join(folder, 'photos/b.txt'), 'changed')
    const { inputs: next } = await check(engine, urn, benches({ 1: 'Older', 2: 'New' }, attachments))
    const { ADD, UPDATE } = pb.PropertyDiff.Kind
    expect((await diff(engine, urn, [inputs, next])).paths).toEqual({
      'features.descriptions[1]': UPDATE,
      'features.descriptions[2]': ADD,
      'features.attachments[1]': UPDATE,
    })
    await update(engine, urn, { id, olds: inputs, news: next })

    // On the server, a feature loses its description and all attachments.
    const [, other] = await list(id)
    const nothing = { extensions: { description: null, attachment: [] } }
    const edited = await server.admin('PUT', `/api/resource/${id}/feature/${other?.id}`, nothing)
    expect(edited.status).toBe(200)
    await configure(engine, { server: server.url, password: adminPassword, ...allowances })
    const { inputs: drifted } = await read(engine, urn, { id, inputs: next })
    expect((await diff(engine, urn, [drifted, next])).paths).toMatchObject({
      'features.descriptions[2]': ADD,
      'features.attachments[2]': ADD,
    })
    await remove(engine, urn, id)
  })

  test('fails at descriptions that are no text, absent files and attachments without a name', async () => {
    const failuresOf = async (news: Wire) =>
      (await check(engine, urn, news)).failures.map(({ property }) => property)
    const wrong = benches({ 1: 7 }, { 1: ['no.txt'], 2: [assetOf('a')] })
    expect(await failuresOf(wrong)).toContain('features.descriptions[1]')
    const unnamed = benches({}, { 1: ['no.txt'], 2: [assetOf('a')] })
    expect(await failuresOf(unnamed)).toEqual(['features.attachments[2][0].name'])
    expect(await failuresOf(benches({}, { 1: ['no.txt'] }))).toEqual(['features.attachments[1][0]'])
  })
})
