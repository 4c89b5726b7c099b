/* token.js -- the token of this daemon. The page reads the token from the address, behind '#',
 * which browsers do not send to servers. The tab stores it. */
const KEY = 'coterie-token';

export const token = () => sessionStorage.getItem(KEY) || '';
export const keepToken = (text) => sessionStorage.setItem(KEY, text.trim());

export function takeToken() {
	const given = /^#token=([0-9a-f]{64})$/.exec(location.hash);

	if (!given)
		return;
	keepToken(given[1]);
	history.replaceState(null, '', location.pathname);
}

/* Returns options of fetch() for a POST. The token is in a header, which no form can set. */
export function posting(body) {
	const headers = { 'Content-Type': 'application/json' };

	if (token())
		headers.Authorization = `Bearer ${token()}`;
	return { method: 'POST', headers, body: JSON.stringify(body) };
}

/* If the daemon's error is about the token, forgets it, so that the page asks for it again. */
export function forgetIfRefused(e) {
	if (/token/.test(e.message))
		sessionStorage.removeItem(KEY);
}
