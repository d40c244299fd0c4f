import { createToolSearch } from '@toolfold/search';

const search = createToolSearch([
  { address: 'orders/refund', name: 'refund', description: 'Pays the price of an order back' },
  { address: 'orders/list', name: 'list', description: 'Lists orders, the newest first' },
  { address: 'parcels/track', name: 'track', description: 'Says where a parcel is' },
]);
for (const { address, confidence } of search.search('where is my parcel?')) console.log(address, confidence);
