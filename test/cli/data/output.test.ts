import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { streamOut } from '../../../src/cli/data/output.ts'

const interrupt = new AbortController().signal

/** Lines without end, that tell when nobody wants more of them. */
function endless() {
  const told = { lines: 0, isOver: false }
  async function* lines() {
    try {
      for (;;) {
        told.lines += 1
        yield 'a line\n'
      }
    } finally {
      told.isOver = true
    }
  }
  return { told, lines: lines() }
}

it('ends without an error when the reader closes the pipe, and stops reading', async () => {
  const { told, lines } = endless()
  const out = new Writable({
    highWaterMark: 1,
    write: (_chunk, _, done) => done(Object.assign(new Error('closed'), { code: 'EPIPE' })),
  })
  await streamOut(lines, { out, interrupt })
  expect(told.isOver).toBe(true)
  expect(told.lines).toBeLessThan(10)
})

it('fails with the error of the data, and does not close the output', async () => {
  const text: string[] = []
  const out = new Writable({
    write: (chunk: Buffer, _, done) => {
      text.push(chunk.toString())
      done()
    },
  })
  await streamOut(['one\n', 'two\n'].values() as unknown as AsyncIterable<string>, { out, interrupt })
  expect(text.join('')).toBe('one\ntwo\n')
  expect(out.writable).toBe(true)
  async function* broken() {
    yield 'three\n'
    throw new Error('the line broke')
  }
  await expect(streamOut(broken(), { out, interrupt })).rejects.toThrow('the line broke')
})
