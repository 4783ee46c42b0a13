module kept

go 1.26.8

require github.com/reviewdog/reviewdog v0.21.3

require google.golang.org/protobuf v1.36.12 // indirect
