import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plan, validate } from '../../src/index.ts'
import { type Engine, startConfigured } from '../support/pulumi_engine.ts'
import { readGuide, writeGuide } from '../support/pulumi_guide.ts'
import { destroyStack, runProgram, type StackState } from '../support/pulumi_monitor.ts'
import { adminPassword, describeServer, type TestServer } from '../support/server.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../fixtures/pulumi/${name}`, import.meta.url))

describeServer('a program of Pulumi', (start) => {
  let server: TestServer
  let engine: Engine
  beforeAll(async () => {
    server = await start()
    engine = await startConfigured(server.url, { allow_delete: '["park_plans", "benches"]' })
  })
  afterAll(() => engine.stop())

  test('creates typed resources, updates them, and is unchanged afterwards', async () => {
    const program = { engine, path: pathOf('city'), state: new Map() as StackState }
    const created = ['ResourceGroup::town', 'VectorLayer::trees', 'MapsrvStyle::trees_style', 'Webmap::map']
    const up = await runProgram(program)
    expect(up.messages).toEqual([])
    expect(up.steps).toEqual(created.map((label) => `create ${label}`))
    expect(up.exports).toEqual({ features: 2, layerId: expect.any(Number) })
    expect(await runProgram(program)).toMatchObject({ steps: [], code: 0 })
    const config = { 'city:description': 'A city' }
    const changes = ['update ResourceGroup::town description']
    expect(await runProgram({ ...program, config, preview: true })).toMatchObject({ steps: changes })
    expect(await runProgram({ ...program, config })).toMatchObject({ steps: changes, code: 0 })
  })

  test('manages the resources of manifests as landform apply does', async () => {
    const program = { engine, path: pathOf('tree'), state: new Map() as StackState }
    const preview = await runProgram({ ...program, preview: true })
    expect(preview).toMatchObject({ code: 0, messages: [] })
    const labels = [
      'ResourceGroup::park',
      'VectorLayer::benches',
      'MapsrvStyle::benches_style',
      'FileBucket::park_plans',
      'Webmap::park_map',
    ]
    expect([...preview.steps].sort()).toEqual(labels.map((label) => `create ${label}`).sort())
    const up = await runProgram(program)
    expect([...up.steps].sort()).toEqual(labels.map((label) => `create ${label}`).sort())
    const key = up.exports.ids as Record<string, number>
    expect(Object.keys(key).sort()).toEqual(['benches', 'benches_style', 'park', 'park_map', 'park_plans'])
    expect(await runProgram(program)).toMatchObject({ steps: [], code: 0 })
    const files = { paths: [pathOf('tree')], cwd: '/' }
    expect((await validate(files)).issues).toEqual([])
    const credentials = { login: 'administrator', password: adminPassword }
    const planned = await plan({ ...files, server: server.url, credentials, allow: { adopt: true } })
    // A manifest with another id would only put its mark on them.
    expect(planned.changes.flatMap(({ edits }) => edits)).toEqual([])
    expect(planned.changes.every(({ action }) => action === 'adopt')).toBe(true)
    const deleted = await destroyStack(engine, program.state)
    expect([...deleted].sort()).toEqual(labels.map((label) => `delete ${label}`).sort())
    expect(deleted.at(-1)).toBe('delete ResourceGroup::park')
  })

  test('refuses manifests that swap keys, since the engine finds resources by their names first', async () => {
    const program = { engine, path: pathOf('swapped'), state: new Map() as StackState }
    const { code, messages, steps } = await runProgram({ ...program, preview: true })
    expect([code === 0, steps]).toEqual([false, []])
    expect(messages.join('\n')).toContain('Pulumi cannot rename "west" to "east" while another resource')
  })

  test('the program of the guide does what the guide says', async () => {
    const guide = await readGuide()
    const folder = await writeGuide()
    try {
      const second = await startConfigured(server.url, { allow_delete: '["roads"]' }, folder)
      const program = { engine: second, path: folder, state: new Map() as StackState }
      const preview = await runProgram({ ...program, preview: true })
      expect(preview.messages).toEqual([])
      const up = await runProgram(program)
      expect(up.messages).toEqual([])
      const [, listed = ''] = /```text\n(create [^`]+)```/.exec(guide) ?? []
      expect(up.steps).toEqual(listed.trim().split('\n'))
      expect(up.exports).toEqual({ features: 1 })
      expect(await runProgram(program)).toMatchObject({ steps: [], code: 0 })
      await destroyStack(second, program.state)
      await second.stop()
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('the stack of the repository manages its manifests', async () => {
    const path = fileURLToPath(new URL('../../stacks/local', import.meta.url))
    const program = { engine, path, state: new Map() as StackState }
    const up = await runProgram(program)
    expect(up.messages).toEqual([])
    expect(up.steps).toContain('create VectorLayer::countries')
    expect(Object.keys(up.exports.ids as object)).toHaveLength(up.steps.length)
    expect(await runProgram({ ...program, preview: true })).toMatchObject({ steps: [], code: 0 })
  })
})
