import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { jsonFrame } from '../../src/gdal/runner/frame.ts'
import { readFrames, readJson } from '../../src/gdal/runner/frames.ts'

const unlimited = <T>(work: Promise<T>) => work

test.each([1, 3, 1000])('reads frames from chunks of %i bytes', async (size) => {
  const bytes = Buffer.concat([
    jsonFrame('tick', {}),
    jsonFrame('summary', { name: 'дороги' }),
    jsonFrame('layout', {}),
  ])
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const frames = readFrames(Readable.from(pieces), unlimited)
  const read: unknown[] = []
  for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) {
    read.push([frame.kind, await readJson(frame)])
  }
  expect(read).toEqual([
    ['tick', {}],
    ['summary', { name: 'дороги' }],
    ['layout', {}],
  ])
})

test('fails when the stream ends within a frame', async () => {
  const bytes = jsonFrame('summary', { count: 1 })
  const frames = readFrames(Readable.from([bytes.subarray(0, -1)]), unlimited)
  const frame = await frames.next()
  await expect(frame && readJson(frame)).rejects.toMatchObject({ code: 'gdal/failed' })
})

test('fails at an unknown frame code', async () => {
  await expect(readFrames(Readable.from([Buffer.alloc(10)]), unlimited).next()).rejects.toThrow('code 0')
})
