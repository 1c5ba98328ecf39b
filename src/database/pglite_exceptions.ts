import { readText } from '../core/bytes.ts'

/** Exports of PGlite's WebAssembly module that this file calls: PostgreSQL's functions that raise an error. */
export interface ErrorModule {
  readonly HEAPU8: Uint8Array
  readonly HEAPU32: Uint32Array
  _malloc(bytes: number): number
  _free(pointer: number): void
  _errstart(level: number, domain: number): number
  _errmsg_internal(format: number, operands: number): number
  _errfinish(file: number, line: number, name: number): void
}

/** Level of an error that ends the statement. @see PostgreSQL, `elog.h` */
const error = 21

/** Function with which a library throws a C++ exception. @see Itanium C++ ABI, 2.4.3 */
const throwFunction = '__cxa_throw'

/** Memory of the database from which on exceptions are taken to have used up some of it; it may have four times as much. */
const spentBytes = 2 ** 30

/** Maximum length of a message, in bytes. */
const maxMessage = 1000

/**
 * Lets libraries of PostgreSQL in this thread raise C++ exceptions as errors of PostgreSQL. PostGIS in the package of PGlite is
 * built without the code that catches exceptions, such as those of GEOS about geometries. They would leave functions of
 * PostgreSQL in the middle: it answered out of step from then on, and requests got the rows of others.
 *
 * @param findModule returns the module of the database, which exists before a library is loaded
 * @param onSpent called for an exception while the database has much memory: what a library has in use then is never given back
 */
export function raiseExceptions(findModule: () => ErrorModule | undefined, onSpent: () => void): void {
  const raise = (exception: number, type: number): void => {
    const module = findModule()
    if (module === undefined)
      throw new Error('a library has thrown an exception before the database has started')
    if (module.HEAPU8.length > spentBytes) onSpent()
    raiseError(module, describeException(module, exception, type))
  }
  const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Loader }
  const instantiate = wasm.instantiate.bind(wasm)
  wasm.instantiate = (library, imports) => {
    // Other modules of this thread import nothing of the kind.
    const env = imports?.env
    return instantiate(library, env === undefined ? imports : { ...imports, env: replaceThrow(env, raise) })
  }
}

/** The function with which Emscripten loads libraries. */
interface Loader {
  instantiate(library: unknown, imports?: { readonly env?: object }): Promise<unknown>
}

function replaceThrow(env: object, raise: (exception: number, type: number) => void): object {
  return new Proxy(env, { get: (all, name) => (name === throwFunction ? raise : Reflect.get(all, name)) })
}

/** Ends the statement with an error, as PostGIS does with the exceptions that it catches: its SQLSTATE is XX000. Does not return. */
function raiseError(module: ErrorModule, message: string): void {
  const text = Buffer.from(message).subarray(0, maxMessage)
  const format = '%s'
  // The format and the text, each with a zero byte, after the operands of the format: the address of the text.
  const operands = module._malloc(4 + format.length + 1 + text.length + 1)
  const start = operands + 4
  module.HEAPU8.set(Buffer.from(`${format}\0`), start)
  module.HEAPU8.set([...text, 0], start + format.length + 1)
  module.HEAPU32[operands >> 2] = start + format.length + 1
  module._errstart(error, 0)
  module._errmsg_internal(start, operands)
  module._free(operands)
  module._errfinish(0, 0, 0)
}

/** Returns the message of an exception of GEOS, or the name of the type of others. */
function describeException(module: ErrorModule, exception: number, type: number): string {
  const textAt = (pointer: number) => readText(module.HEAPU8, module.HEAPU32[pointer >> 2] ?? 0, maxMessage)
  const name = textAt(type + 4)
  // Exceptions of GEOS are those of std::runtime_error, whose first member is the address of the message.
  const isGeos = name.startsWith('N4geos4util')
  return isGeos ? `GEOS: ${textAt(exception + 4)}` : `exception ${name}`
}
