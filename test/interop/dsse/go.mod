module dsse

go 1.24

require github.com/secure-systems-lab/go-securesystemslib v0.9.1

require (
	golang.org/x/crypto v0.40.0 // indirect
	golang.org/x/sys v0.34.0 // indirect
)
