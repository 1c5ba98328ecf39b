import { readFileSync } from 'node:fs'

/**
 * The part of undici that `src/http/` imports. The whole package has a second `fetch`, WebSockets, mocks and caches: a command that
 * asks a server would load them all, which takes 40 ms and 14 MB. A name that is missing here fails the build.
 */
const part = `
import api from 'undici/lib/api/index.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import retry from 'undici/lib/interceptor/retry.js'
Object.assign(Dispatcher.prototype, api)
export const interceptors = { retry }
export { default as Agent } from 'undici/lib/dispatcher/agent.js'
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js'
export { default as errors } from 'undici/lib/core/errors.js'
export { default as DecoratorHandler } from 'undici/lib/handler/decorator-handler.js'
`

const eager = "const connectH2 = require('./client-h2.js')"

/** Loads HTTP/2 with the first server that speaks it: that takes 30 ms. */
const lazy = "const connectH2 = (...given) => require('./client-h2.js')(...given)"

/** Bundles the part of undici that is used, and loads its HTTP/2 when needed. */
export const partOfUndici = {
  name: 'part-of-undici',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'part' }))
    onLoad({ filter: /.*/, namespace: 'part' }, () => ({ contents: part, resolveDir: import.meta.dirname }))
    onLoad({ filter: /[/\\]undici[/\\]lib[/\\]dispatcher[/\\]client\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(eager)) throw new Error(`${path} does not contain: ${eager}`)
      return { contents: text.replace(eager, lazy) }
    })
  },
}
