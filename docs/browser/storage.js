/** What the page keeps in this browser, in IndexedDB: it alone takes a CryptoKey whose private half cannot be read. */
const database = new Promise((resolve, reject) => {
  const opening = indexedDB.open('ashlar', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('kept');
  opening.onsuccess = () => resolve(opening.result);
  opening.onerror = () => reject(opening.error);
});

/** Resolves once it is on disk, or read. */
async function done(mode, act) {
  const transaction = (await database).transaction('kept', mode);
  const request = act(transaction.objectStore('kept'));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

export const recall = (name) => done('readonly', (store) => store.get(name));
export const keep = (name, value) => done('readwrite', (store) => store.put(value, name));
export const forget = (name) => done('readwrite', (store) => store.delete(name));
