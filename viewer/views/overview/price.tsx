/** The verdict with a price: its sentence, and the six tests behind it. */
import type { Price } from '../../../schemas/price.ts'
import type { Model } from '../../data/model.ts'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { Fold } from '../../parts/layout/fold.tsx'

const chips = {
  better: ['helps', 'Better'],
  as_good_and_cheaper: ['helps', 'As good and cheaper'],
  better_but_dearer: ['inconclusive', 'Better but dearer'],
  worse: ['hurts', 'Worse'],
  inconclusive: ['inconclusive', 'Inconclusive'],
} satisfies Record<Price['verdict'], [kind: string, word: string]>

const names = {
  rate_higher: 'higher pass rate',
  rate_lower: 'lower pass rate',
  rate_within_margin: 'no loss of the margin or more',
  price_lower: 'lower price',
  price_higher: 'higher price',
  price_within_margin: 'price not higher by the margin',
} satisfies Record<Price['tests'][number]['name'], string>

export function isPriceSentence(sentence: string): boolean {
  return sentence.startsWith('With its price:')
}

export function PriceView({ model }: { model: Model }) {
  const { said, benchmark } = model.page
  const price = benchmark.statistics?.price
  const sentence = said.sureness.find(isPriceSentence)
  if (price === undefined || sentence === undefined) return null
  const [kind, word] = chips[price.verdict]
  return (
    <section aria-labelledby="price">
      <h2 id="price">
        Worth its price <span class={`chip ${kind}`}>{word}</span>
      </h2>
      <p>{sentence}</p>
      {price.tests.length > 0 && (
        <Fold summary="The six tests behind it">
          {() => (
            <ListTable columns={['shows', 'rejects', 'p', 'level', '']} words={['shows', 'rejects']}>
              {price.tests.map((test) => (
                <tr key={test.name}>
                  <th scope="row">{names[test.name]}</th>
                  <td class="left">{test.null_hypothesis}</td>
                  <td>{test.p_value < 0.001 ? '< 0.001' : test.p_value.toFixed(3)}</td>
                  <td>{test.level.toFixed(3)}</td>
                  <td>{test.rejected && <span class="chip pass">shown</span>}</td>
                </tr>
              ))}
            </ListTable>
          )}
        </Fold>
      )}
    </section>
  )
}
