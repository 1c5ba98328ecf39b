import { element } from './element.ts'
import { startPage } from './page.ts'
import { reasonOf } from './request.ts'

const { webmap, tiny } = document.body.dataset

startPage({ id: Number(webmap), tiny: tiny !== undefined }).catch((error: unknown) => {
  document.body.replaceChildren(
    element(
      'main',
      { class: 'failure', role: 'alert' },
      element('h1', {}, 'Cannot show the map'),
      element('p', {}, reasonOf(error)),
      element('button', { type: 'button', class: 'plain', click: () => location.reload() }, 'Try again'),
    ),
  )
})
