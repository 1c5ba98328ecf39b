import { faultAt, listNodes, type Source } from './source.ts'

/** Calls that let a test pass without the thing it is about, by their text. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/^vi\.(?:mock|doMock|stubGlobal|hoisted)$/, 'replaces a part: use the real one'],
  [/^(?:test|it|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only|fails)$/, 'is a test that may not run'],
  [/^(?:setTimeout|setInterval|sleep|delay)$/, 'waits for time: wait for the event'],
  [/^vi\.(?:waitFor|waitUntil)$/, 'asks again and again: wait for the event'],
]

/** Finds mocks, sleeps and tests that may not run, in a test file. */
export function checkHonesty(source: Source): string[] {
  if (!/\.test\.ts$/.test(source.path)) return []
  return listNodes(source).flatMap((node) => {
    if (node.type !== 'CallExpression') return []
    const callee = source.text.slice(node.callee.start, node.callee.end)
    const reason = refused.find(([pattern]) => pattern.test(callee))?.[1]
    return reason === undefined ? [] : [faultAt(source, node.start, `${callee} ${reason}`)]
  })
}
